-- Background work asks the processors about relays that have not ended.
CREATE INDEX relays_pending ON relays (seq) WHERE status = 'pending';
