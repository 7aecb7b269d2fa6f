package request

import (
	"slices"
	"strconv"
	"time"

	"payswitch/engine/fault"
	"payswitch/sdk"
)

// DisputeListInput are the filters for the list of disputes. A zero value does not filter.
type DisputeListInput struct {
	DisputeID, PaymentID, ProfileID, AccountID, Reason string
	Limit                                              int // 1–100; 0 means 10
	Offset                                             int
	From, To                                           time.Time // inclusive
	Connectors, Currencies                             []string
	Stages, Statuses                                   []string // the values of sdk.DisputeStage and sdk.DisputeStatus
}

// AcceptInput gives a dispute up.
type AcceptInput struct {
	DisputeID string
	// Most bounds the sum of all refunds and accepted disputes of the payment, with this one; nil sets no bound. It is the limit of the person who gives the
	// dispute up, in the dispute's currency. What is in another currency counts alone.
	Most *int64
}

// EvidenceInput answers a dispute.
type EvidenceInput struct {
	DisputeID string
	Texts     map[string]string // by the names of sdk.EvidenceTexts
	// Files are the ids of attached files that the answer hands in, by type. Without one it hands in all.
	Files map[sdk.EvidenceType]string
}

// EvidenceFileInput is a file for the answer to a dispute.
type EvidenceFileInput struct {
	DisputeID   string
	Type        sdk.EvidenceType
	Name        string
	ContentType string // one of EvidenceContents
	Body        []byte
}

// EvidenceContents are the types of content that an attached file may have.
var EvidenceContents = []string{"application/pdf", "image/jpeg", "image/png"}

// maxEvidenceText bounds each text of evidence, and maxEvidence all of them together, in bytes. The second is what processors take.
const (
	maxEvidenceText = 20_000
	maxEvidence     = 150_000
)

// Check refuses texts that no answer can have.
func (in *EvidenceInput) Check() error {
	sum := 0
	for _, name := range sdk.EvidenceTexts() {
		text := in.Texts[name]
		if sum += len(text); len(text) > maxEvidenceText {
			return fault.BadFormat(name, "a text of at most "+strconv.Itoa(maxEvidenceText)+" bytes")
		}
	}
	for name := range in.Texts {
		if !slices.Contains(sdk.EvidenceTexts(), name) {
			return fault.InvalidValue(name).WithHint("Leave the field out.")
		}
	}
	if sum > maxEvidence {
		return fault.BadFormat("evidence", "texts of at most "+strconv.Itoa(maxEvidence)+" bytes together")
	}
	return nil
}
