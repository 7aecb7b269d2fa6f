package sdk

import (
	"slices"
	"strings"
)

// DisputeRequest is the dispute that an operation is about, as payswitch knows it, and the merchant's answer.
type DisputeRequest struct {
	ID         string        `json:"id"` // the processor's id
	Status     DisputeStatus `json:"status"`
	Stage      DisputeStage  `json:"stage,omitempty"`
	Amount     Money         `json:"amount"` // what is disputed
	Reason     string        `json:"reason,omitempty"`
	ReasonCode string        `json:"reason_code,omitempty"`
	RespondBy  int64         `json:"respond_by,omitempty"` // Unix milliseconds; 0 if the processor names no time

	// Evidence holds the texts of submit_evidence, by name: see EvidenceTexts.
	Evidence map[string]string `json:"evidence,omitempty"`
	// Files are the files that attach_evidence has given to the processor, one of each type.
	Files []AttachedFile `json:"files,omitempty"`
	// File is the file of attach_evidence. Its body is the first body in the frame.
	File *EvidenceFile `json:"file,omitempty"`
}

// AttachedFile is a file that the processor has.
type AttachedFile struct {
	Type EvidenceType `json:"type"`
	ID   string       `json:"id,omitempty"` // the processor's id: Outcome.EvidenceID of attach_evidence
}

// EvidenceFile is a file for the answer to a dispute.
type EvidenceFile struct {
	Type        EvidenceType `json:"type"`
	Name        string       `json:"name"`         // letters, digits, dot, dash and underscore
	ContentType string       `json:"content_type"` // application/pdf, image/jpeg or image/png
	BodyLength  int          `json:"body_length,omitempty"`
	Body        []byte       `json:"-"`
}

// EvidenceType says what a file of evidence shows. Its constants are the wire values.
type EvidenceType string

const (
	EvidenceCancellationPolicy    EvidenceType = "cancellation_policy"
	EvidenceCommunication         EvidenceType = "customer_communication"
	EvidenceSignature             EvidenceType = "customer_signature"
	EvidenceReceipt               EvidenceType = "receipt"
	EvidenceRefundPolicy          EvidenceType = "refund_policy"
	EvidenceServiceDocumentation  EvidenceType = "service_documentation"
	EvidenceShippingDocumentation EvidenceType = "shipping_documentation"
	EvidenceDistinctInvoice       EvidenceType = "invoice_showing_distinct_transactions"
	EvidenceRecurringAgreement    EvidenceType = "recurring_transaction_agreement"
	EvidenceUncategorizedFile     EvidenceType = "uncategorized_file"
)

// EvidenceTypes returns all types of files, in the order of the API.
func EvidenceTypes() []EvidenceType {
	return []EvidenceType{EvidenceCancellationPolicy, EvidenceCommunication, EvidenceSignature, EvidenceReceipt, EvidenceRefundPolicy,
		EvidenceServiceDocumentation, EvidenceShippingDocumentation, EvidenceDistinctInvoice, EvidenceRecurringAgreement, EvidenceUncategorizedFile}
}

// EvidenceTexts returns the names of all texts of evidence, in alphabetical order.
func EvidenceTexts() []string {
	return []string{"access_activity_log", "billing_address", "cancellation_policy_disclosure", "cancellation_rebuttal", "customer_email_address", "customer_name",
		"customer_purchase_ip", "product_description", "refund_policy_disclosure", "refund_refusal_explanation", "service_date", "shipping_address",
		"shipping_carrier", "shipping_date", "shipping_tracking_number", "uncategorized_text"}
}

// MaxEvidenceFile is the greatest size of a file in bytes, so that a message has room for it in base64.
const MaxEvidenceFile = 640 << 10

// Disputed returns the outcome that the dispute of the request has a status now. connectorStatus is the processor's word for it.
func (c *Call) Disputed(status DisputeStatus, connectorStatus string) *Outcome {
	d := c.Request.Dispute
	return &Outcome{Status: StatusDisputed, TransactionID: c.Request.TransactionID, Dispute: &Dispute{ID: d.ID, Status: status, Amount: d.Amount, Stage: d.Stage,
		ConnectorStatus: connectorStatus}}
}

// Of returns the dispute with the disputed amount. It returns nil if the dispute lacks its id or its status, or if the amount is not above zero:
// a message proves nothing then.
func (d *Dispute) Of(amount *Money) *Dispute {
	if d.ID == "" || d.Status == "" || !amount.Positive() {
		return nil
	}
	d.Amount = *amount
	return d
}

// Answers reports whether the operation is the merchant's answer to a dispute.
func (op Operation) Answers() bool { return op == OpAcceptDispute || op == OpSubmitEvidence }

// AboutDispute reports whether the operation is about a dispute.
func (op Operation) AboutDispute() bool {
	return slices.Contains([]Operation{OpAcceptDispute, OpAttachEvidence, OpSubmitEvidence, OpDisputeSync}, op)
}

// Texts returns the texts of evidence that the merchant gave, in alphabetical order of their names.
func (d *DisputeRequest) Texts() (given []Header) {
	for _, name := range EvidenceTexts() {
		if text := d.Evidence[name]; text != "" {
			given = append(given, H(name, text))
		}
	}
	return given
}

// Part is a field of a multipart form, before the file. ContentType may be "".
type Part struct{ Name, ContentType, Value string }

// Upload returns the request that gives the file of attach_evidence to a processor: a POST to url of a multipart form with the fields purpose and file.
// The caller adds its credentials to the headers. The form's boundary follows from the operation's id, so a repeated operation sends the same bytes.
func (c *Call) Upload(url, purpose string, headers ...Header) *Send {
	return c.UploadParts(url, []Part{{Name: "purpose", Value: purpose}}, headers...)
}

// UploadParts is Upload with other fields before the field file.
func (c *Call) UploadParts(url string, parts []Part, headers ...Header) *Send {
	f := c.Request.Dispute.File
	boundary := "payswitch" + c.ID("")
	for strings.Contains(textOf(f.Body), boundary) { // package bytes would make a module 4 KB larger
		boundary += "x"
	}
	begin := "--" + boundary + "\r\nContent-Disposition: form-data; name="
	var form []byte
	for _, p := range parts {
		form = append(form, begin+`"`+p.Name+`"`...)
		if p.ContentType != "" {
			form = append(form, "\r\nContent-Type: "+p.ContentType...)
		}
		form = append(form, "\r\n\r\n"+p.Value+"\r\n"...)
	}
	form = append(form, begin+`"file"; filename="`+f.Name+`"`+"\r\nContent-Type: "+f.ContentType+"\r\n\r\n"...)
	form = append(append(form, f.Body...), "\r\n--"+boundary+"--\r\n"...)
	return &Send{Method: "POST", URL: url, Body: form, Headers: append(headers, H("Content-Type", "multipart/form-data; boundary="+boundary))}
}
