package carrel

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// APIError is what the API says is wrong. Each code has a type of its own, such as *NotFoundError, which errors.As finds; all
// of them are found as *APIError too.
type APIError struct {
	// Status is that of HTTP; 0 for an error that a stream told of.
	Status int
	// Code is from the API's table of errors.
	Code    string
	Message string
	// Details name bad fields, or what else belongs to the code.
	Details []map[string]any
	// Hint is for the operator: what was tried, what to set.
	Hint      string
	RequestID string
	// RetryAfter is when a retry makes sense; negative where the server did not say.
	RetryAfter time.Duration
}

func (e *APIError) Error() string {
	if e.RequestID == "" {
		return fmt.Sprintf("carrel: %s: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("carrel: %s: %s (%s)", e.Code, e.Message, e.RequestID)
}

// ConnectionError says that no answer came, or not all of it, for as long as was tried.
type ConnectionError struct{ Err error }

func (e *ConnectionError) Error() string { return "carrel: no whole answer: " + e.Err.Error() }

// Unwrap gives what went wrong below.
func (e *ConnectionError) Unwrap() error { return e.Err }

// AnswerError says that what answered is not the API, such as a proxy with a page of its own. It is not tried again: the call may
// have been carried out.
type AnswerError struct{ Err error }

func (e *AnswerError) Error() string { return "carrel: the answer is not the API's: " + e.Err.Error() }

// Unwrap gives what went wrong below.
func (e *AnswerError) Unwrap() error { return e.Err }

// ErrSignature says that a message is not signed with the secret, or too old, or of the future.
var ErrSignature = errors.New("carrel: the signature does not hold")

// IndexingError says that a file cannot be read.
type IndexingError struct{ File *FileRecord }

func (e *IndexingError) Error() string {
	if e.File.Error != nil {
		return fmt.Sprintf("carrel: %s: %s", e.File.Name, e.File.Error.Message)
	}
	return fmt.Sprintf("carrel: %s could not be indexed", e.File.Name)
}

type errorBody struct {
	Error struct {
		Code      string           `json:"code"`
		Message   string           `json:"message"`
		Details   []map[string]any `json:"details"`
		Hint      string           `json:"hint"`
		RequestID string           `json:"request_id"`
	} `json:"error"`
}

// errorOf reads the common body of errors; what has none is told by its status.
func errorOf(response *http.Response, text []byte) error {
	var body errorBody
	_ = json.Unmarshal(text, &body)
	err := body.base(response.StatusCode)
	if err.Code == "" {
		err.Code = fmt.Sprintf("http_%d", response.StatusCode)
		err.Message = "the server answered with status " + strconv.Itoa(response.StatusCode)
	}
	if err.RequestID == "" {
		err.RequestID = response.Header.Get("X-Request-Id")
	}
	err.RetryAfter = retryAfter(response.Header.Get("Retry-After"))
	return typed(err)
}

func (b *errorBody) base(status int) *APIError {
	e := b.Error
	return &APIError{status, e.Code, e.Message, e.Details, e.Hint, e.RequestID, -1}
}

// retryAfter reads seconds, or a date; negative where there is neither.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, time.Until(at))
	}
	return -1
}
