/* SPDX-License-Identifier: Apache-2.0
 *
 * The CPython of this process: its functions, found at run time (libpython is never linked), its version, and what may be done
 * with it.
 */
#ifndef OVH_PYTHON_INTERPRETER_H
#define OVH_PYTHON_INTERPRETER_H

#include "preload/python/layout.h"

/* PEP 523; 3.9 to 3.15 agree: (PyThreadState *, frame, throwflag) -> result or NULL. */
typedef void *python_evaluator(void *tstate, void *frame, int throwflag);

struct python_api {
    int (*is_initialized)(void);
    const char *(*get_version)(void);
    const void *runtime; /* _PyRuntime */
    void *code_type, *bytes_type;
    void *(*this_thread_state)(void);    /* PyGILState_GetThisThreadState: needs no GIL */
    void *(*current_thread_state)(void); /* of whoever is attached (3.12 on: NULL unless this thread is) */
    void *(*interpreter_of)(void *tstate);
    void *(*main_interpreter)(void);
    int (*add_pending_call)(int (*)(void *), void *);
    int (*at_exit)(void (*)(void)); /* called at the very end of Py_FinalizeEx */
    void (*incref)(void *);
    void (*decref)(void *);
    python_evaluator *(*get_evaluator)(void *interpreter);
    void (*set_evaluator)(void *interpreter, python_evaluator *);
    python_evaluator *default_evaluator;
    /* for the self-test only */
    void *(*compile)(const char *text, const char *file, int start);
    void *(*eval_code)(void *code, void *globals, void *locals);
    void *(*dict_new)(void);
    int (*dict_set)(void *dict, const char *key, void *value);
    void *(*c_function)(void *method, void *self, void *module);
    void (*error_fetch)(void **, void **, void **);
    void (*error_restore)(void *, void *, void *);
    void **keyboard_interrupt; /* PyExc_KeyboardInterrupt */
    void (*set_interrupt)(void);
    void (*enter_tracing)(void *tstate); /* 3.11 on */
    void (*leave_tracing)(void *tstate);
    int (*gc_disable)(void); /* 3.10 on */
    int (*gc_enable)(void);
    /* for C functions called from Python only: NULL where a version lacks one */
    void *function_type, *c_method_type, *method_descriptor_type, *class_method_descriptor_type, *wrapper_type,
        *method_wrapper_type;
    void *type_type, *text_type, *list_type, *module_type, *capsule_type, *static_method_type;
    void *python_function_type, *method_type, *instance_method_type, *none;
    void *(*text_intern)(const char *);
    void *(*type_lookup)(void *type, void *name); /* borrowed */
    unsigned long (*type_flags)(void *type);
    void (*error_clear)(void);
    void *(*get_attribute)(void *object, const char *name);
    void *(*add_module)(const char *name);          /* borrowed */
    void *(*module_dict)(void *module);             /* borrowed */
    void *(*dict_get)(void *dict, const char *key); /* borrowed */
    void *(*sys_get)(const char *name);             /* borrowed */
    void *(*call_objects)(void *callable, ...);     /* up to a NULL */
    long (*long_as)(void *number);
    void *(*long_from)(long value);
    void *(*current_frame)(void);                      /* borrowed */
    void *(*map_get)(void *mapping, const char *key);
    void *(*generic_attribute)(void *object, void *name);
    int (*dict_next)(void *dict, int64_t *at, void **key, void **value); /* borrowed */
    void (*set_profile)(int (*)(void *, void *, int, void *), void *);
};
extern OVH_HIDDEN struct python_api ovh_py;

enum python_way { PYTHON_NOTHING, PYTHON_WALK, PYTHON_EVALUATOR };

/* Fills ovh_py. False: there is no CPython in this process. Needs no GIL. */
OVH_HIDDEN OVH_COLD bool python_find(void);
/* What version and settings allow, with ovh_layout filled unless PYTHON_NOTHING; *why: static text, NULL for PYTHON_EVALUATOR.
 * Writes the value `python` of the trace. Needs no GIL. */
OVH_HIDDEN OVH_COLD enum python_way python_decide(const char **why);

/* This thread's state if it is attached (holds the GIL), else NULL. PyGILState_Check can lie: we compare. */
static inline void *python_attached(void)
{
    void *tstate = ovh_py.this_thread_state();
    return tstate && tstate == ovh_py.current_thread_state() ? tstate : 0;
}

/* The same, to the main interpreter, which is alive: the only one whose hooks are ours. */
static inline bool python_attached_to_main(void)
{
    void *tstate = ovh_py.is_initialized() ? python_attached() : 0;
    return tstate && ovh_py.interpreter_of(tstate) == ovh_py.main_interpreter();
}

#endif
