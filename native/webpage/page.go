package webpage

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/julienschmidt/httprouter"
)

//go:embed all:dist
var dist embed.FS

// ErrFiles reports a folder that does not have the form in which web/pack.js writes it.
var ErrFiles = errors.New("the files of the wallet page are incomplete")

// Suffixes of the two stored forms of a file.
const (
	gzipSuffix   = ".gz"
	brotliSuffix = ".br"
)

// index is the file of the path /. assets is the folder of the files with a hash of the content in
// their names.
const (
	index  = "index.html"
	assets = "assets/"
)

// Page is a wallet page, or the absence of one. It is safe for concurrent use.
type Page struct {
	files map[string]*file // by URL path
}

// file is a file of the page in both forms.
type file struct {
	from      fs.FS
	name      string // name in from, without the suffix of a form
	mediaType string
	keep      string // Cache-Control
	gzip      form
	brotli    form
}

// form is a stored form of a file.
type form struct {
	size int64
	tag  func() (string, error) // ETag, computed when it is first needed
}

// Built returns the page that is embedded in this program. It is empty if the program was built
// without the page.
func Built() (*Page, error) {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, err
	}
	return New(sub)
}

// New returns the page in a folder. The folder has each file twice, with the suffixes .gz and .br;
// other files are ignored. A folder without such files is a page that was not built. The error is
// ErrFiles.
func New(from fs.FS) (*Page, error) {
	p := &Page{files: map[string]*file{}}
	err := fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		plain, compressed := strings.CutSuffix(name, gzipSuffix)
		if err != nil || entry.IsDir() || !compressed {
			return err
		}
		f, err := newFile(from, plain)
		if err == nil {
			p.files[urlPath(plain)] = f
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFiles, err)
	}
	if len(p.files) > 0 && !p.IsBuilt() {
		return nil, fmt.Errorf("%w: there is no %s", ErrFiles, index)
	}
	return p, nil
}

func urlPath(name string) string {
	if name == index {
		return "/"
	}
	return "/" + name
}

func newFile(from fs.FS, name string) (*file, error) {
	f := &file{from: from, name: name, mediaType: mediaType(name), keep: "no-cache"}
	if strings.HasPrefix(name, assets) {
		f.keep = "public, max-age=31536000, immutable"
	}
	var err error
	if f.gzip, err = examine(from, name+gzipSuffix); err != nil {
		return nil, err
	}
	f.brotli, err = examine(from, name+brotliSuffix)
	return f, err
}

func examine(from fs.FS, name string) (form, error) {
	info, err := fs.Stat(from, name)
	if err != nil {
		return form{}, err
	}
	return form{size: info.Size(), tag: sync.OnceValues(func() (string, error) { return tagOf(from, name) })}, nil
}

func tagOf(from fs.FS, name string) (string, error) {
	in, err := from.Open(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, in)
	return `"` + hex.EncodeToString(hash.Sum(nil)[:16]) + `"`, err
}

// mediaType returns the media type of a file. It does not use the machine's tables, which differ
// between machines.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json":
		return "application/json"
	case ".webmanifest":
		return "application/manifest+json"
	case ".svg":
		return "image/svg+xml"
	case ".wasm":
		return "application/wasm"
	case ".png":
		return "image/png"
	case ".ico":
		return "image/vnd.microsoft.icon"
	case ".woff2":
		return "font/woff2"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

// IsBuilt reports whether the program contains a page.
func (p *Page) IsBuilt() bool { return p.files["/"] != nil }

// Mount adds the paths of the page, for GET and HEAD. If the page was not built, the path / returns
// a message.
func (p *Page) Mount(router *httprouter.Router) {
	for at, f := range p.files {
		router.Handler(http.MethodGet, at, f)
		router.Handler(http.MethodHead, at, f)
	}
	if !p.IsBuilt() {
		router.HandlerFunc(http.MethodGet, "/", notBuilt)
		router.HandlerFunc(http.MethodHead, "/", notBuilt)
	}
}
