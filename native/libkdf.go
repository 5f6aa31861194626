//go:build libkdf

package main

/*
#include <stdint.h>
#include <stdlib.h>

typedef void (*mm2_log)(const char *line);

static void mm2_tell(mm2_log log, const char *line) { log(line); }
*/
import "C"

import (
	"unsafe"

	"obverse/native/cli"
)

// These are the functions of Komodo DeFi Framework's C library: mm2_bin_lib/src/mm2_native_lib.rs.

var hosted cli.Embedded

// mm2_main starts the node with a config, a JSON object that may contain the coins, and returns when
// the node answers requests. It calls log with each log line, one after the other, on any thread; log may be NULL, and
// may call the functions below. The result is 0 for success, or an exit code of kdf from 1 to 4; 4 also means that the node
// was stopped before it answered.
//
//export mm2_main
func mm2_main(config *C.char, log C.mm2_log) C.int8_t {
	if config == nil {
		return cli.KDFInvalidParams
	}
	return C.int8_t(hosted.Start(C.GoString(config), func(line string) {
		if log == nil {
			return
		}
		text := C.CString(line)
		defer C.free(unsafe.Pointer(text))
		C.mm2_tell(log, text)
	}))
}

// mm2_main_status returns 0 if there is no node, 1 while it starts, and 3 when it answers requests.
//
//export mm2_main_status
func mm2_main_status() C.int8_t { return C.int8_t(hosted.Status()) }

// mm2_stop stops the node and returns when it has ended: 0. It returns 1 if no node runs, and 3 if another thread
// is stopping it. After it returns, log is not called again, but a running call of log may not have returned.
//
//export mm2_stop
func mm2_stop() C.int8_t { return C.int8_t(hosted.Stop()) }
