#include "funcdata.h"
#include "textflag.h"

// func enter()
//
// Its caller is a gate, which has pushed the address of the function that was called as the
// one to return to. All of the frame are the arguments and results of wait.
TEXT ·enter(SB), NOSPLIT, $32-0
	NO_LOCAL_POINTERS
	MOVD CTXT, 0(SP)
	MOVD RET0, 8(SP)
	CALL ·wait(SB)
	MOVD 16(SP), CTXT
	MOVB 24(SP), R0
	Get R0
	I64Eqz
	If
		// Return to fail, with what the function that was called would have on the stack.
		MOVD $·fail(SB), R1
		Get SP
		Get R1
		I64Store $32
	End
	RET
