package plugins

// UnloadIdle frees replaced builds at once.
func (h *Host) UnloadIdle() { h.unload(0) }
