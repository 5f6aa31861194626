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

// The functions of Komodo DeFi Framework's C library: mm2_bin_lib/src/mm2_native_lib.rs.

var hosted cli.Embedded

// mm2_main starts the node with a config, a JSON object that may name the coins, and returns when
// it answers. Lines of its log are given to log, one after the other, on any thread; NULL: to none.
// log may call the functions below. 0 is success; 1 to 4 are kdf's exit codes, 4 also if the node
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

// mm2_main_status is 0 without a node, 1 while it starts, 3 while it answers.
//
//export mm2_main_status
func mm2_main_status() C.int8_t { return C.int8_t(hosted.Status()) }

// mm2_stop ends the node and returns when it is gone: 0; 1 if no node runs, 3 if another thread
// ends it. After it no line is given to log, but the one that log is busy with.
//
//export mm2_stop
func mm2_stop() C.int8_t { return C.int8_t(hosted.Stop()) }
