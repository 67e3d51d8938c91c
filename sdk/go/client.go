// Package carrel is the client of a Carrel that you run: files, search, streamed conversations, agents.
package carrel

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

const defaultURL = "http://127.0.0.1:4747"

// Carrel is one client for an application, and for all of its requests at the same time.
type Carrel struct {
	Models        *Models
	Files         *Files
	Conversations *Conversations
	Agents        *Agents
	Sources       *Sources
	Events        *Events
	Webhooks      *Webhooks
	Batches       *Batches
	Keys          *Keys
	Tokens        *Tokens
	// API has every call by its name in the reference.
	API *API
}

// API is the low level: one method for each call.
type API struct{ transport *transport }

// Option changes a client.
type Option func(*settings)

type settings struct {
	url, token                   string
	clientID, privateKey, secret string
	client                       *http.Client
	proxy                        string
	roots                        []byte
	retry                        time.Duration
}

// WithURL says where Carrel answers; CARREL_URL without it, else the own machine.
func WithURL(address string) Option { return func(s *settings) { s.url = address } }

// WithToken gives the token of a key, or a scoped token; CARREL_TOKEN without it.
func WithToken(token string) Option { return func(s *settings) { s.token = token } }

// WithCredentials gives the three parts of a key.
func WithCredentials(clientID, privateKey, secret string) Option {
	return func(s *settings) { s.clientID, s.privateKey, s.secret = clientID, privateKey, secret }
}

// WithProxy sends everything through it: "http://name:password@proxy.corp:3128". Those of the environment count without it
// (HTTPS_PROXY, NO_PROXY).
func WithProxy(address string) Option { return func(s *settings) { s.proxy = address } }

// WithTLSRoots trusts these certificates (PEM) in place of the machine's own.
func WithTLSRoots(pem []byte) Option { return func(s *settings) { s.roots = pem } }

// WithHTTPClient is for all else that http.Transport has, in place of WithProxy and WithTLSRoots. Redirects are followed nowhere.
func WithHTTPClient(client *http.Client) Option { return func(s *settings) { s.client = client } }

// WithRetryTime says how long a call is tried again in all, from its first failure; a minute without it, 0 never.
func WithRetryTime(time time.Duration) Option { return func(s *settings) { s.retry = time } }

// New makes a client. It fails without credentials.
func New(options ...Option) (*Carrel, error) {
	s := &settings{url: os.Getenv("CARREL_URL"), token: os.Getenv("CARREL_TOKEN"), retry: defaultRetry}
	for _, option := range options {
		option(s)
	}
	if s.token == "" && s.secret == "" {
		return nil, errors.New("carrel: give a token or credentials, or set CARREL_TOKEN")
	}
	if s.url == "" {
		s.url = defaultURL
	}
	client, err := s.httpClient()
	if err != nil {
		return nil, err
	}
	t := &transport{base: strings.TrimRight(s.url, "/"), client: withoutRedirects(client), retry: s.retry, authorize: s.authorize}
	api := &API{t}
	return &Carrel{
		Models: &Models{api}, Files: &Files{api}, Conversations: &Conversations{api}, Agents: &Agents{api},
		Sources: &Sources{api}, Events: &Events{api}, Webhooks: &Webhooks{api}, Batches: &Batches{api},
		Keys: &Keys{api}, Tokens: &Tokens{api}, API: api,
	}, nil
}

func (s *settings) authorize(header http.Header) {
	if s.secret != "" {
		header.Set("client-id", s.clientID)
		header.Set("private-key", s.privateKey)
		header.Set("secret", s.secret)
		return
	}
	header.Set("Authorization", "Bearer "+s.token)
}

func (s *settings) httpClient() (*http.Client, error) {
	if s.proxy == "" && s.roots == nil {
		return s.client, nil
	}
	if s.client != nil {
		return nil, errors.New("carrel: an http.Client of your own has its own proxy and certificates")
	}
	transport := &http.Transport{}
	if own, is := http.DefaultTransport.(*http.Transport); is {
		transport = own.Clone()
	}
	if s.proxy != "" {
		address, err := url.Parse(s.proxy)
		// What is wrong with it is not told: it may hold a password.
		if err != nil || address.Host == "" || (address.Scheme != "http" && address.Scheme != "https") {
			return nil, errors.New("carrel: the proxy is no http address")
		}
		transport.Proxy = http.ProxyURL(address)
	}
	if s.roots != nil {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(s.roots) {
			return nil, errors.New("carrel: there is no certificate (PEM) among the roots")
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: transport}, nil
}

// withoutRedirects is the client, but that credentials go nowhere else.
func withoutRedirects(client *http.Client) *http.Client {
	if client == nil {
		client = &http.Client{}
	}
	copied := *client
	copied.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &copied
}

// Search gives passages that answer a query.
func (c *Carrel) Search(ctx context.Context, query string, options ...CallOption) (*SearchAnswer, error) {
	return c.API.Search(ctx, &SearchBody{Query: query}, options...)
}

// Redact gives a text without private values.
func (c *Carrel) Redact(ctx context.Context, text string, options ...CallOption) (*RedactedText, error) {
	return c.API.Redact(ctx, &RedactBody{Text: text}, options...)
}

// Ptr is for fields that may be left out: carrel.Ptr(5).
func Ptr[T any](value T) *T { return &value }

func itoa(number int) string { return strconv.Itoa(number) }
