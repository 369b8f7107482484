/* SPDX-License-Identifier: Apache-2.0
 *
 * The code that must not have a frame of its own when the real function runs: `dlsym`, and the exported names that have two
 * prototypes. Each saves the arguments, asks a C function, restores them and jumps. Unwinders see correct frames at every point.
 */
#if defined(__x86_64__)

/* void *dlsym(void *handle, const char *name) */
	.text
	.globl	dlsym
	.type	dlsym, @function
	.p2align 4
dlsym:
	.cfi_startproc
	endbr64
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	movq	16(%rsp), %rdx
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	ovh_dlsym_filter
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	testq	%rdx, %rdx
	jne	1f
	jmp	*ovh_dlsym_real(%rip)
1:	ret
	.cfi_endproc
	.size	dlsym, . - dlsym

/* Jumps to what ovh_pair_choose(&ovh_pair_NAME, return address) answers, all argument registers as they came. */
	.macro	DISPATCH name
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	endbr64
	leaq	ovh_pair_\name(%rip), %r11
	jmp	ovh_dispatch
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.type	ovh_dispatch, @function
	.p2align 4
ovh_dispatch:
	.cfi_startproc
	.irp	register, rdi, rsi, rdx, rcx, r8, r9
	pushq	%\register
	.cfi_adjust_cfa_offset 8
	.endr
	subq	$136, %rsp
	.cfi_adjust_cfa_offset 136
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	movaps	%xmm\number, 16*\number(%rsp)
	.endr
	movq	%r11, %rdi
	movq	184(%rsp), %rsi
	call	ovh_pair_choose
	movq	%rax, %r11
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	movaps	16*\number(%rsp), %xmm\number
	.endr
	addq	$136, %rsp
	.cfi_adjust_cfa_offset -136
	.irp	register, r9, r8, rcx, rdx, rsi, rdi
	popq	%\register
	.cfi_adjust_cfa_offset -8
	.endr
	jmp	*%r11
	.cfi_endproc
	.size	ovh_dispatch, . - ovh_dispatch

#elif defined(__aarch64__)

	.text
	.globl	dlsym
	.type	dlsym, @function
	.p2align 4
dlsym:
	.cfi_startproc
	hint	#34		/* bti c */
	stp	x29, x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 29, -32
	.cfi_offset 30, -24
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	mov	x2, x30
	bl	ovh_dlsym_filter
	cbnz	x1, 1f
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #32
	.cfi_remember_state
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	adrp	x16, ovh_dlsym_real
	ldr	x16, [x16, #:lo12:ovh_dlsym_real]
	br	x16
1:	.cfi_restore_state
	ldp	x29, x30, [sp], #32
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size	dlsym, . - dlsym

	.macro	DISPATCH name
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	hint	#34
	adrp	x16, ovh_pair_\name
	add	x16, x16, #:lo12:ovh_pair_\name
	b	ovh_dispatch
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.type	ovh_dispatch, @function
	.p2align 4
ovh_dispatch:
	.cfi_startproc
	stp	x29, x30, [sp, #-224]!
	.cfi_def_cfa_offset 224
	.cfi_offset 29, -224
	.cfi_offset 30, -216
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	stp	x6, x7, [sp, #64]
	str	x8, [sp, #80]
	stp	q0, q1, [sp, #96]
	stp	q2, q3, [sp, #128]
	stp	q4, q5, [sp, #160]
	stp	q6, q7, [sp, #192]
	mov	x0, x16
	mov	x1, x30
	bl	ovh_pair_choose
	mov	x16, x0
	ldp	q6, q7, [sp, #192]
	ldp	q4, q5, [sp, #160]
	ldp	q2, q3, [sp, #128]
	ldp	q0, q1, [sp, #96]
	ldr	x8, [sp, #80]
	ldp	x6, x7, [sp, #64]
	ldp	x4, x5, [sp, #48]
	ldp	x2, x3, [sp, #32]
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #224
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	br	x16
	.cfi_endproc
	.size	ovh_dispatch, . - ovh_dispatch

#endif

#define DISPATCH_NONE(name) DISPATCH name;
#define DISPATCH_PTSZ(name) DISPATCH name; DISPATCH name##_ptsz;
#define DISPATCH_PTDS(name) DISPATCH name; DISPATCH name##_ptds;
#define HOOK(...)
#define VOID_HOOK(...)
#define OLDER(...)
#define DRIVER(...)
#define NEWER(since, ret, name, twin, ...) DISPATCH_##twin(name)
#include "ovh/hooks/all.def"

	.section .note.GNU-stack, "", %progbits
