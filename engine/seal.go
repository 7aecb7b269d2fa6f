package engine

func (e *Engine) sealCustomer(c *Customer) (err error) {
	c.Sealed, err = e.vault.sealJSON(c.Personal, customerAD(c.MerchantID, c.ID))
	return err
}
