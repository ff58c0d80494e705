// Go, standard library only. body is the raw request body, before any JSON parser.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

func Verify(secret string, body []byte, signature string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hmac.Equal([]byte("sha256="+hex.EncodeToString(mac.Sum(nil))), []byte(signature))
}
