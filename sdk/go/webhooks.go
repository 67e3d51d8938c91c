package carrel

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Tolerance is how much the clocks may differ.
const Tolerance = 5 * time.Minute

// VerifyWebhook gives the event of a message once its signature holds, by the rules of Standard Webhooks. The body is as it
// came, before anything parsed it; the secret is "whsec_…". The id of the event stays over retries: take each once.
func VerifyWebhook(body []byte, header http.Header, secret string) (*EventRecord, error) {
	return verifyAt(body, header, secret, time.Now())
}

func verifyAt(body []byte, header http.Header, secret string, now time.Time) (*EventRecord, error) {
	id, stamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if id == "" || err != nil {
		return nil, fmt.Errorf("%w: the headers of a webhook are missing", ErrSignature)
	}
	if now.Sub(time.Unix(seconds, 0)).Abs() > Tolerance {
		return nil, fmt.Errorf("%w: the message is too old, or of the future", ErrSignature)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return nil, fmt.Errorf("%w: the secret is no base64", ErrSignature)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, stamp)
	mac.Write(body)
	expected := mac.Sum(nil)
	for _, each := range strings.Fields(header.Get("webhook-signature")) {
		version, signature, _ := strings.Cut(each, ",")
		given, err := base64.StdEncoding.DecodeString(signature)
		if version == "v1" && err == nil && hmac.Equal(given, expected) {
			event := &EventRecord{}
			if err := json.Unmarshal(body, event); err != nil {
				return nil, fmt.Errorf("%w: the body is no JSON object", ErrSignature)
			}
			event.ID = id
			return event, nil
		}
	}
	return nil, fmt.Errorf("%w: it is signed with another secret", ErrSignature)
}
