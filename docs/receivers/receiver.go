// A complete webhook receiver. Go 1.20 and later, standard library only: WEBHOOK_SECRET=… go run receiver.go
//
// It stores each message once, as INBOX/<webhook-id>.json, and answers. A worker of yours takes it from there, so that the
// answer is fast and a message is safe when this process stops. Keep the files for as long as repeats may come.
//
// Order: after a failed attempt later events overtake earlier ones. Let the worker compare Data.Version: keep the highest of
// each record and pass over older ones, or set Ordered on the webhook.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const maxBody = 8 << 20
const maxAge = 5 * time.Minute

var validID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

func Verify(secret string, body []byte, signature string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hmac.Equal([]byte("sha256="+hex.EncodeToString(mac.Sum(nil))), []byte(signature))
}

// VerifyStandard says whether one of the signatures of Standard Webhooks is right, and the timestamp that it covers is recent.
func VerifyStandard(secret string, body []byte, id, timestamp, signatures string) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > maxAge {
		return false
	}
	key := []byte(secret)
	if encoded, found := strings.CutPrefix(secret, "whsec_"); found {
		if key, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return false
		}
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, one := range strings.Split(signatures, " ") {
		if hmac.Equal(expected, []byte(one)) {
			return true
		}
	}
	return false
}

// store stores a message; one that is there already stays as it is.
func store(inbox, id string, body []byte) error {
	scratch, err := os.CreateTemp(inbox, "*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(scratch.Name())
	defer scratch.Close()
	if _, err = scratch.Write(body); err != nil {
		return err
	}
	if err = scratch.Sync(); err != nil {
		return err
	}
	err = os.Link(scratch.Name(), filepath.Join(inbox, id+".json"))
	if errors.Is(err, fs.ErrExist) {
		log.Printf("repeated %s", id)
		return nil
	}
	if err == nil {
		log.Printf("stored %s", id)
	}
	return err
}

func receive(secret, inbox string, w http.ResponseWriter, r *http.Request) int {
	// The raw bytes: JSON that was parsed and printed again has another signature.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return http.StatusRequestEntityTooLarge
	}
	id := r.Header.Get("webhook-id")
	if !validID.MatchString(id) {
		return http.StatusBadRequest
	}
	if !Verify(secret, body, r.Header.Get("X-Hub-Signature-256")) {
		return http.StatusUnauthorized
	}
	if !VerifyStandard(secret, body, id, r.Header.Get("webhook-timestamp"), r.Header.Get("webhook-signature")) {
		return http.StatusUnauthorized
	}
	if err := store(inbox, id, body); err != nil {
		log.Print(err)
		return http.StatusInternalServerError // Daybook tries again.
	}
	return http.StatusNoContent
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	secret, inbox := os.Getenv("WEBHOOK_SECRET"), setting("INBOX", "inbox")
	if secret == "" {
		log.Fatal("WEBHOOK_SECRET is required")
	}
	if err := os.MkdirAll(inbox, 0o700); err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+setting("PORT", "4000"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s/\n", listener.Addr())
	server := &http.Server{
		ReadTimeout: 15 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(receive(secret, inbox, w, r))
		}),
	}
	log.Fatal(server.Serve(listener))
}
