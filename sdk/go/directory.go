package carrel

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

const (
	manifestName   = ".carrel-manifest.jsonl"
	parallelForms  = 4
	filesOfAForm   = 50
	bytesOfAForm   = 16 << 20
	longestLine    = 1 << 20
	filePermission = 0o600
)

// UploadDirOptions say how a folder is brought.
type UploadDirOptions struct {
	UploadFields
	// Parallel is how many requests go at the same time; 4 where 0.
	Parallel int
	// Include says whether a file is brought; its path has "/" and begins below the folder.
	Include func(path string) bool
	// Manifest is where what was brought is noted; ".carrel-manifest.jsonl" in the folder without it.
	Manifest string
}

// UploadDirResult tells what became of each file.
type UploadDirResult struct {
	// Uploaded are the ids of what was brought now, by path.
	Uploaded  map[string]string
	Unchanged int
	Rejected  []RejectedFile
}

// RejectedFile was not accepted.
type RejectedFile struct{ Path, Code, Message string }

// manifestLine is what was brought of a path; the last one of a path counts.
type manifestLine struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	Mtime  int64  `json:"mtime"`
	FileID string `json:"file_id"`
}

// UploadDir brings a folder in, so many files at the same time, and keeps a manifest of what is there: called again it brings only
// what is new or changed, after a cut too, and deletes what a changed file was before. Files of equal bytes are one. Links are not
// followed.
func (f *Files) UploadDir(ctx context.Context, folder string, given *UploadDirOptions) (*UploadDirResult, error) {
	options := orNew(given)
	if options.Manifest == "" {
		options.Manifest = filepath.Join(folder, manifestName)
	}
	if options.Parallel == 0 {
		options.Parallel = parallelForms
	}
	if own, err := filepath.Abs(options.Manifest); err == nil {
		options.Manifest = own
	}
	known, err := readManifest(options.Manifest)
	if err != nil {
		return nil, err
	}
	manifest, err := os.OpenFile(options.Manifest, os.O_APPEND|os.O_CREATE|os.O_WRONLY, filePermission)
	if err != nil {
		return nil, err
	}
	defer manifest.Close()
	if _, err := manifest.WriteString("\n"); err != nil { // a kill may have left half a line
		return nil, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	b := &bringing{files: f, options: &options, known: known, manifest: manifest, folder: folder, result: &UploadDirResult{Uploaded: map[string]string{}}}
	batches := make(chan []manifestLine)
	var workers sync.WaitGroup
	for range options.Parallel {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for batch := range batches {
				if err := b.bring(ctx, batch); err != nil {
					stop(err)
				}
			}
		}()
	}
	err = b.walk(ctx, batches)
	close(batches)
	workers.Wait()
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err != nil {
		return b.result, err
	}
	return b.result, b.compact()
}

type bringing struct {
	files    *Files
	options  *UploadDirOptions
	folder   string
	manifest *os.File

	// Guards what follows.
	mutex  sync.Mutex
	known  map[string]manifestLine
	result *UploadDirResult
}

// walk gathers small files together, no two of the same name: the API knows the last part of a path alone.
func (b *bringing) walk(ctx context.Context, batches chan<- []manifestLine) error {
	var batch []manifestLine
	var size int64
	names := map[string]bool{}
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		select {
		case batches <- batch:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		batch, size, names = nil, 0, map[string]bool{}
		return nil
	}
	err := filepath.WalkDir(b.folder, func(place string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || b.isManifest(place) {
			return err
		}
		line, isNew, err := b.look(place, entry)
		if err != nil || !isNew {
			return err
		}
		name := path.Base(line.Path)
		if len(batch) == filesOfAForm || size+line.Size > bytesOfAForm || names[name] {
			if err := flush(); err != nil {
				return err
			}
		}
		batch, size, names[name] = append(batch, line), size+line.Size, true
		return nil
	})
	return errors.Join(err, flush())
}

// isManifest is so of a fresh one too, which a kill may have left.
func (b *bringing) isManifest(place string) bool {
	whole, err := filepath.Abs(place)
	return err == nil && (whole == b.options.Manifest || whole == freshOf(b.options.Manifest))
}

func freshOf(manifest string) string { return manifest + ".new" }

func (b *bringing) look(place string, entry fs.DirEntry) (manifestLine, bool, error) {
	relative, err := filepath.Rel(b.folder, place)
	if err != nil {
		return manifestLine{}, false, err
	}
	line := manifestLine{Path: filepath.ToSlash(relative)}
	if b.options.Include != nil && !b.options.Include(line.Path) {
		return line, false, nil
	}
	info, err := entry.Info()
	if err != nil {
		return line, false, err
	}
	line.Size, line.Mtime = info.Size(), info.ModTime().UnixMilli()
	b.mutex.Lock()
	defer b.mutex.Unlock()
	before, isKnown := b.known[line.Path]
	if isKnown && before.Size == line.Size && before.Mtime == line.Mtime {
		b.result.Unchanged++
		return line, false, nil
	}
	return line, true, nil
}

func (b *bringing) bring(ctx context.Context, batch []manifestLine) error {
	var files []UploadFile
	for _, line := range batch {
		files = append(files, FromPath(filepath.Join(b.folder, filepath.FromSlash(line.Path))))
	}
	got, err := b.files.Upload(ctx, files, &b.options.UploadFields)
	if err != nil {
		if got = refusedAll(err); got == nil {
			return err
		}
	}
	if len(batch) > 1 && isOther(batch, got) {
		// The server knows a file by another name than the disk does: alone each one's answer is its own.
		for at := range batch {
			if err := b.bring(ctx, batch[at:at+1]); err != nil {
				return err
			}
		}
		return nil
	}
	if len(batch) == 1 && len(got.Rejected) > 0 {
		got.Rejected[0].Name = path.Base(batch[0].Path)
	}
	former, err := b.note(batch, got)
	if err != nil {
		return err
	}
	for _, id := range former {
		var notFound *NotFoundError
		if err := b.files.Delete(ctx, id); err != nil && !errors.As(err, &notFound) {
			return err
		}
	}
	return nil
}

// refusedAll reads an error whose details say why of each file, as it comes where none of a form is accepted; nil for another.
func refusedAll(err error) *UploadAnswer {
	var refused *APIError
	if !errors.As(err, &refused) || len(refused.Details) == 0 {
		return nil
	}
	answer := &UploadAnswer{}
	for _, detail := range refused.Details {
		name, hasName := detail["name"].(string)
		code, hasCode := detail["code"].(string)
		if !hasName || !hasCode {
			return nil
		}
		message, _ := detail["message"].(string)
		answer.Rejected = append(answer.Rejected, UploadAnswerRejectedItem{Name: name, Error: Issue{Code: code, Message: message}})
	}
	return answer
}

func isOther(batch []manifestLine, got *UploadAnswer) bool {
	names := map[string]bool{}
	for _, line := range batch {
		names[path.Base(line.Path)] = true
	}
	for _, each := range got.Rejected {
		if !names[each.Name] {
			return true
		}
	}
	return len(got.Files)+len(got.Rejected) != len(batch)
}

// note keeps what was brought, and gives the files that nothing is any more.
func (b *bringing) note(batch []manifestLine, got *UploadAnswer) (former []string, err error) {
	rejected := map[string]Issue{}
	for _, each := range got.Rejected {
		rejected[each.Name] = each.Error
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	var text strings.Builder
	taken := 0
	for _, line := range batch {
		if issue, is := rejected[path.Base(line.Path)]; is {
			b.result.Rejected = append(b.result.Rejected, RejectedFile{line.Path, issue.Code, issue.Message})
			continue
		}
		line.FileID = got.Files[taken].ID
		taken++
		if before, is := b.known[line.Path]; is {
			former = append(former, before.FileID)
		}
		b.known[line.Path] = line
		b.result.Uploaded[line.Path] = line.FileID
		encoded, _ := json.Marshal(line)
		text.Write(append(encoded, '\n'))
	}
	if _, err := b.manifest.WriteString(text.String()); err != nil {
		return nil, err
	}
	return unused(former, b.known), nil
}

// unused are those that no path is any more: equal files of several paths are one.
func unused(ids []string, known map[string]manifestLine) []string {
	if len(ids) == 0 {
		return nil
	}
	used := map[string]bool{}
	for _, line := range known {
		used[line.FileID] = true
	}
	var left []string
	for _, id := range ids {
		if !used[id] {
			left = append(left, id)
		}
	}
	return left
}

// readManifest leaves out a line that a kill cut.
func readManifest(place string) (map[string]manifestLine, error) {
	known := map[string]manifestLine{}
	file, err := os.Open(place)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(io.Reader(file))
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		var line manifestLine
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.FileID != "" {
			known[line.Path] = line
		}
	}
	return known, lines.Err()
}

// compact leaves one line a path.
func (b *bringing) compact() error {
	var text strings.Builder
	for _, line := range b.known {
		encoded, _ := json.Marshal(line)
		text.Write(append(encoded, '\n'))
	}
	fresh := freshOf(b.options.Manifest)
	if err := os.WriteFile(fresh, []byte(text.String()), filePermission); err != nil {
		return err
	}
	return os.Rename(fresh, b.options.Manifest)
}
