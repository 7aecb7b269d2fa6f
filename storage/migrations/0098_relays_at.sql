-- A processor's message names what a relay made by the processor's id.
CREATE INDEX relays_at ON relays (merchant_id, account_id, reference_id);
