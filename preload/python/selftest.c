/* SPDX-License-Identifier: Apache-2.0
 *
 * Are the offsets right for this very build? A function of ours is called from a known expression, and must find that expression's
 * code object on top of the walk, with its name, file and line, and the interpreter must have shown it to an evaluator before.
 */
#include "preload/python/selftest.h"

#include "preload/python/text.h"

#include <stddef.h>

#define SELFTEST_FILE "<ovh self-test>"
enum { EVAL_INPUT = 258, METHOD_NOARGS = 4, CODE_OFFSET_MOST = 256 };

static struct {
    const char *code, *evaluated;
    bool top, name, place, lines, back;
} seen;

static const char *type_of(const char *object)
{
    return python_pointer(object, 8);
}

static bool reads_as(const char *object, const char *text)
{
    char got[64];
    python_text(object, got, sizeof got);
    return strcmp(got, text) == 0;
}

/* The function that the expression calls; `self` is the expression's code object. */
static void *look(void *self, void *unused)
{
    const char *code = self, *frame = python_top_frame(ovh_py.this_thread_state());
    seen.top = frame && python_frame_code(frame) == code && type_of(code) == ovh_py.code_type;
    if (seen.top) {
        uint32_t offset = python_code_offset(code, python_frame_instruction(frame));
        const char *table = python_pointer(code, ovh_layout.code_lines), *back = python_frame_back(frame);
        seen.name = reads_as(python_pointer(code, ovh_layout.code_name), "<module>") &&
                    reads_as(python_pointer(code, ovh_layout.code_file), SELFTEST_FILE);
        seen.place = python_int(code, ovh_layout.code_first_line) == 1 && offset > 0 && offset < CODE_OFFSET_MOST;
        seen.lines = type_of(table) == ovh_py.bytes_type;
        seen.back = !back || type_of(python_frame_code(back)) == ovh_py.code_type;
    }
    ovh_py.incref(self);
    return self;
}

static void *evaluate(void *tstate, void *frame, int throwflag)
{
    const char *code = python_frame_code(frame);
    if (code == seen.code)
        seen.evaluated = code;
    return ovh_py.default_evaluator(tstate, frame, throwflag);
}

/* True: it ran, and `seen` says what was found. */
static bool run(void *the_way)
{
    enum python_way way = *(enum python_way *)the_way;
    static struct {
        const char *name;
        void *(*function)(void *, void *);
        int flags;
        const char *doc;
    } method = {"look", look, METHOD_NOARGS, 0}; /* PyMethodDef */
    void *code = ovh_py.compile("look()", SELFTEST_FILE, EVAL_INPUT), *result = 0;
    void *globals = code ? ovh_py.dict_new() : 0, *function = globals ? ovh_py.c_function(&method, code, 0) : 0;
    void *interpreter = ovh_py.main_interpreter();
    if (function && ovh_py.dict_set(globals, "look", function) == 0) {
        seen.code = code;
        if (way == PYTHON_EVALUATOR)
            ovh_py.set_evaluator(interpreter, evaluate);
        result = ovh_py.eval_code(code, globals, globals);
        if (way == PYTHON_EVALUATOR)
            ovh_py.set_evaluator(interpreter, ovh_py.default_evaluator);
    }
    void *ours[] = {result, function, globals, code};
    for (uint32_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (ours[i])
            ovh_py.decref(ours[i]);
    return result != 0;
}

/* Profilers, tracers and monitoring tools of the program are not to see our expression. */
static void hide(char *tstate, bool on)
{
    if (ovh_py.enter_tracing && ovh_py.leave_tracing)
        (on ? ovh_py.enter_tracing : ovh_py.leave_tracing)(tstate);
    else if (ovh_layout.tstate_tracing)
        *(int32_t *)(void *)(tstate + ovh_layout.tstate_tracing) += on ? 1 : -1;
}

/* A Ctrl-C that arrived in our expression is the program's: raised again at the next bytecode. */
static void hand_on_interrupt(void)
{
    void *error[3] = {0};
    ovh_py.error_fetch(&error[0], &error[1], &error[2]);
    if (error[0] && error[0] == *ovh_py.keyboard_interrupt)
        ovh_py.set_interrupt();
    for (int i = 0; i < 3; i++)
        if (error[i])
            ovh_py.decref(error[i]);
}

bool python_run_hidden(bool (*run_it)(void *), void *with)
{
    void *type = 0, *value = 0, *traceback = 0, *tstate = ovh_py.this_thread_state();
    ovh_py.error_fetch(&type, &value, &traceback);
    int collects = ovh_py.gc_disable ? ovh_py.gc_disable() : 0; /* no finaliser of the program may run inside its CUDA call */
    hide(tstate, true);
    bool ran = run_it(with);
    hide(tstate, false);
    if (!ran)
        hand_on_interrupt();
    if (collects)
        ovh_py.gc_enable();
    ovh_py.error_restore(type, value, traceback);
    return ran;
}

const char *python_selftest(enum python_way way)
{
    memset(&seen, 0, sizeof seen);
    if (!python_run_hidden(run, &way))
        return PYTHON_SELFTEST_NOT_RUN;
    if (!seen.top)
        return "the self-test's frame is not where it should be";
    if (!seen.name || !seen.place || !seen.lines)
        return "the self-test's code object does not read as it should";
    if (!seen.back)
        return "the frame below the self-test's does not read as it should";
    return way == PYTHON_EVALUATOR && !seen.evaluated ? "the frame evaluator did not see the self-test's frame" : 0;
}
