/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of CPython's objects that the native hooks read. The offsets are those of every build with the GIL from 3.9 to 3.13
 * (printed by a program compiled against each version's headers); the self-test compares them with what the interpreter says of
 * itself.
 */
#ifndef OVH_PYTHON_NATIVE_OBJECTS_H
#define OVH_PYTHON_NATIVE_OBJECTS_H

#include "preload/python/interpreter.h"

enum {
    OBJECT_TYPE = 8,
    FUNCTION_METHOD = 16, /* PyCFunctionObject */
    FUNCTION_SELF = 24,
    FUNCTION_MODULE = 32,
    FUNCTION_VECTORCALL = 48,
    DESCRIPTOR_TYPE = 16, /* PyMethodDescrObject, PyWrapperDescrObject */
    DESCRIPTOR_NAME = 24,
    DESCRIPTOR_METHOD = 40,
    DESCRIPTOR_WRAPPED = 48,
    DESCRIPTOR_VECTORCALL = 48,
    WRAPPER_DESCRIPTOR = 16, /* method-wrapper: the wrapper descriptor that it binds */
    BOUND_FUNCTION = 16,     /* PyMethodObject, PyInstanceMethodObject */
    TYPE_NAME = 24,          /* PyTypeObject */
    TYPE_VECTORCALL_OFFSET = 56,
    TYPE_CALL = 128,
    TYPE_FLAGS = 168,
    TYPE_BASE = 256,
    TYPE_VECTORCALL = 400
};
#define TYPE_IS_HEAP (1ul << 9)
#define TYPE_HAS_VECTORCALL (1ul << 11)
#define TYPE_IS_TYPE (1ul << 31) /* instances are types */

/* PyMethodDef */
struct native_method {
    const char *name;
    void *function;
    int flags;
    const char *doc;
};
enum { METHOD_VARARGS = 1, METHOD_KEYWORDS = 2, METHOD_NOARGS = 4, METHOD_O = 8, METHOD_COEXIST = 0x40, METHOD_FASTCALL = 0x80 };

typedef void *native_vectorcall(void *callable, void *const *args, size_t nargsf, void *names);
typedef void *native_ternary(void *callable, void *args, void *kwargs);

static inline const char *native_type(const char *object)
{
    return python_pointer(object, OBJECT_TYPE);
}

static inline unsigned long native_flags(const char *type)
{
    return *(const unsigned long *)(const void *)(type + TYPE_FLAGS);
}

static inline bool native_is(const char *object, const void *type)
{
    return native_type(object) == (const char *)type;
}

static inline bool native_is_type(const char *object)
{
    return native_flags(native_type(object)) & TYPE_IS_TYPE;
}

/* Without its module. */
static inline const char *native_type_name(const char *type)
{
    const char *name = python_pointer(type, TYPE_NAME), *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

static inline struct native_method *native_method(const char *object, uint32_t offset)
{
    return *(struct native_method *const *)(const void *)(object + offset);
}

#endif
