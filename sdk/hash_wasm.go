package sdk

import "payswitch/sdk/internal/sha256"

func sha256Sum(b []byte) [32]byte { return sha256.Sum(b) }
