package carrel

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime/multipart"
	"os"
	"path/filepath"
	"time"
)

const (
	pageSize     = 100
	firstLook    = 100 * time.Millisecond
	longestLook  = 2 * time.Second
	mostOfAForm  = 250
	sentTogether = 64 << 10
	uploadsPath  = "/external-docs/external/upload"
	filesField   = "files"
)

// Files are the files of the library.
type Files struct{ api *API }

// UploadFile is a file that is brought. It is read while it is sent: memory stays flat.
type UploadFile struct {
	Name string
	// Open begins the file anew for each try.
	Open func() (io.ReadCloser, error)
	// A reader of its own cannot be opened twice: it is not tried again.
	once bool
}

// FromPath is a file of this machine; its name is the last part of the path.
func FromPath(path string) UploadFile {
	return UploadFile{Name: filepath.Base(path), Open: func() (io.ReadCloser, error) { return os.Open(path) }}
}

// FromBytes is a file of these bytes.
func FromBytes(name string, content []byte) UploadFile {
	return UploadFile{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }}
}

// FromReader is read once: an upload of it is not tried again after a cut.
func FromReader(name string, reader io.Reader) UploadFile {
	return UploadFile{Name: name, once: true, Open: func() (io.ReadCloser, error) { return io.NopCloser(reader), nil }}
}

// UploadFields say how files are taken.
type UploadFields struct {
	ContextID string
	Tags      []string
	Metadata  map[string]any
	// ACL names who may see the files; nil: everybody in the workspace, empty: nobody.
	ACL []string
	// OnDuplicate is "return_existing" (without it), "replace" or "keep_both".
	OnDuplicate string
	SourceID    string
	// SourceKeys and SourceFingerprints are in the order of the files.
	SourceKeys, SourceFingerprints []string
}

// Upload brings at most 250 files in; what is not accepted stands in Rejected.
func (f *Files) Upload(ctx context.Context, files []UploadFile, fields *UploadFields, options ...CallOption) (*UploadAnswer, error) {
	if len(files) == 0 || len(files) > mostOfAForm {
		return nil, fmt.Errorf("carrel: give 1 to %d files", mostOfAForm)
	}
	sent := request{method: "POST", path: uploadsPath, form: newForm(files, fields), idempotent: true}
	return answer[UploadAnswer](ctx, f.api.transport, sent, options)
}

// List gives every file that passes; the pages of the query are its own.
func (f *Files) List(ctx context.Context, query *ListFilesQuery, options ...CallOption) iter.Seq2[*FileRecord, error] {
	asked := orNew(query)
	return every(func(page int) ([]FileRecord, bool, error) {
		asked.Page, asked.PageSize = Ptr(page), Ptr(pageSize)
		found, err := f.api.ListFiles(ctx, &asked, options...)
		if err != nil {
			return nil, false, err
		}
		return found.Data, found.Pagination.HasNext, nil
	})
}

// Get gives one file.
func (f *Files) Get(ctx context.Context, id string, options ...CallOption) (*FileRecord, error) {
	return f.api.GetFile(ctx, id, options...)
}

// Update changes what is given.
func (f *Files) Update(ctx context.Context, id string, body *UpdateFileBody, options ...CallOption) (*FileRecord, error) {
	return f.api.UpdateFile(ctx, id, body, options...)
}

// Delete removes a file.
func (f *Files) Delete(ctx context.Context, id string, options ...CallOption) error {
	return f.api.DeleteFile(ctx, id, options...)
}

// Reindex reads a file again.
func (f *Files) Reindex(ctx context.Context, id string, options ...CallOption) (*FileRecord, error) {
	return f.api.ReindexFile(ctx, id, options...)
}

// Download gives the original as it comes; close it.
func (f *Files) Download(ctx context.Context, id string, options ...CallOption) (io.ReadCloser, error) {
	return f.api.DownloadFile(ctx, id, options...)
}

// Text gives the extracted text.
func (f *Files) Text(ctx context.Context, id string, options ...CallOption) (string, error) {
	return f.api.GetFileText(ctx, id, options...)
}

// AddText brings a text, Markdown or HTML in.
func (f *Files) AddText(ctx context.Context, body *AddTextBody, options ...CallOption) (*FileRecord, error) {
	return f.api.AddText(ctx, body, options...)
}

// AddURL brings a page of the web in, which the server fetches.
func (f *Files) AddURL(ctx context.Context, body *AddURLBody, options ...CallOption) (*FileRecord, error) {
	return f.api.AddURL(ctx, body, options...)
}

// WaitUntilSearchable gives the files once search finds them; *IndexingError for one that cannot be read.
func (f *Files) WaitUntilSearchable(ctx context.Context, ids ...string) ([]*FileRecord, error) {
	var found []*FileRecord
	for _, id := range ids {
		file, err := looked(ctx, func() (*FileRecord, bool, error) {
			file, err := f.Get(ctx, id)
			if err == nil && file.Status == "failed" {
				err = &IndexingError{file}
			}
			return file, err == nil && file.Status == "searchable", err
		})
		if err != nil {
			return nil, err
		}
		found = append(found, file)
	}
	return found, nil
}

// looked asks again and again, ever less often, until it is so.
func looked[T any](ctx context.Context, look func() (T, bool, error)) (T, error) {
	for pause := firstLook; ; pause = min(longestLook, pause*3/2) {
		got, is, err := look()
		if is || err != nil {
			return got, err
		}
		if err := wait(ctx, pause); err != nil {
			return got, err
		}
	}
}

// every gives the items of a list page by page.
func every[T any](ask func(page int) (items []T, more bool, err error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for page := 1; ; page++ {
			items, more, err := ask(page)
			if err != nil {
				yield(nil, err)
				return
			}
			for at := range items {
				if !yield(&items[at], nil) {
					return
				}
			}
			if !more {
				return
			}
		}
	}
}

func orNew[T any](given *T) T {
	var empty T
	if given == nil {
		return empty
	}
	return *given
}

// form is a multipart body that is written while it is sent.
type form struct {
	files    []UploadFile
	fields   [][2]string
	boundary string
}

func newForm(files []UploadFile, given *UploadFields) *form {
	fields := orNew(given)
	made := &form{files: files, boundary: multipart.NewWriter(io.Discard).Boundary()}
	add := func(name string, values ...string) {
		for _, value := range values {
			made.fields = append(made.fields, [2]string{name, value})
		}
	}
	for name, value := range map[string]string{
		"context_id": fields.ContextID, "on_duplicate": fields.OnDuplicate, "source_id": fields.SourceID,
	} {
		if value != "" {
			add(name, value)
		}
	}
	add("tags", fields.Tags...)
	add("source_key", fields.SourceKeys...)
	add("source_fingerprint", fields.SourceFingerprints...)
	if fields.Metadata != nil {
		text, _ := json.Marshal(fields.Metadata)
		add("metadata", string(text))
	}
	if fields.ACL != nil {
		text, _ := json.Marshal(fields.ACL)
		add("acl", string(text))
	}
	return made
}

func (f *form) kind() string { return "multipart/form-data; boundary=" + f.boundary }

func (f *form) once() bool {
	if f == nil {
		return false
	}
	for _, file := range f.files {
		if file.once {
			return true
		}
	}
	return false
}

// open begins to write; closing the reader ends it.
func (f *form) open() io.ReadCloser {
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(f.gather(writer)) }()
	return reader
}

// gather writes small files together. What comes of a reader, which may be slow, goes on at once.
func (f *form) gather(to io.Writer) error {
	if f.once() {
		return f.write(to)
	}
	gathered := bufio.NewWriterSize(to, sentTogether)
	return errors.Join(f.write(gathered), gathered.Flush())
}

func (f *form) write(to io.Writer) error {
	writer := multipart.NewWriter(to)
	if err := writer.SetBoundary(f.boundary); err != nil {
		return err
	}
	for _, field := range f.fields {
		if err := writer.WriteField(field[0], field[1]); err != nil {
			return err
		}
	}
	for _, file := range f.files {
		if err := writeFile(writer, file); err != nil {
			return err
		}
	}
	return writer.Close()
}

func writeFile(writer *multipart.Writer, file UploadFile) error {
	part, err := writer.CreateFormFile(filesField, file.Name)
	if err != nil {
		return err
	}
	content, err := file.Open()
	if err != nil {
		return err
	}
	_, err = io.Copy(part, content)
	return errors.Join(err, content.Close())
}
