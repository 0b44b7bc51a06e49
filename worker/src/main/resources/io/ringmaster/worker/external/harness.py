"""Runs a kernel script, and leaves a signed record of the comparisons that it made.

python3 harness.py SCRIPT ARGUMENTS...

It needs nothing beside Python 3.8. Where to leave the record, and the key to sign it with, are in the environment; both
are taken out of it before the script begins. A script that ends the process by force leaves no record, and so no
result.
"""

import ast
import functools
import hashlib
import hmac
import importlib
import json
import os
import runpy
import sys
import traceback

MOST_CHECKS = 10000
MOST_TEXT = 2000

checks = []
depth = 0


def wanted_differences(source):
    """Where the script wants a comparison to fail: (line, column) of each call below a `not`, or in `with raises(...)`."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.With) and any(is_raises(item.context_expr) for item in node.items):
            for statement in node.body:
                for call in ast.walk(statement):
                    if isinstance(call, ast.Call):
                        found.add((call.lineno, call.col_offset))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            call = node.operand
            if isinstance(call, ast.Call):
                found.add((call.lineno, call.col_offset))
    return found


def is_raises(context):
    if not isinstance(context, ast.Call):
        return False
    name = getattr(context.func, "attr", getattr(context.func, "id", ""))
    return name in ("raises", "assertRaises")


def is_itself(left, right):
    """Whether both sides are the same elements of the same memory."""
    if left is right:
        return True
    try:
        return left.data_ptr() == right.data_ptr() and left.shape == right.shape and left.stride() == right.stride()
    except (AttributeError, RuntimeError):
        return False


def place(script):
    """Line and column of the script's call that led here; no column before Python 3.11."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != script:
        frame = frame.f_back
    if frame is None:
        return 0, None
    column = None
    if hasattr(frame.f_code, "co_positions") and frame.f_lasti >= 0:
        positions = list(frame.f_code.co_positions())
        start, _, first, _ = positions[frame.f_lasti // 2]
        if start is not None:
            return start, first
    return frame.f_lineno, column


def count_of(value):
    if hasattr(value, "numel"):
        return int(value.numel())
    return int(getattr(value, "size", 1))


def statistics(library, left, right, options):
    """Elements, mismatches and the largest difference; what can't be told is left out."""
    told = {"elements": count_of(left), "mismatches": 0, "maxAbsDifference": None}
    try:
        if library == "torch":
            import torch

            a, b = torch.as_tensor(left), torch.as_tensor(right)
            a, b = a.detach().cpu().to(torch.float64), b.detach().cpu().to(torch.float64)
            told["mismatches"] = int((~torch.isclose(a, b, **options)).sum())
            told["maxAbsDifference"] = finite((a - b).abs().max()) if a.numel() else None
        else:
            import numpy

            a, b = numpy.asarray(left, dtype=float), numpy.asarray(right, dtype=float)
            told["elements"] = int(a.size)
            told["mismatches"] = int((~numpy.isclose(a, b, **options)).sum())
            told["maxAbsDifference"] = finite(numpy.abs(a - b).max()) if a.size else None
    except Exception:  # Statistics are for people: a comparison that has none still counts.
        pass
    return told


def finite(value):
    number = float(value)
    return number if number == number and abs(number) != float("inf") else None


def watch(script, negated, library, owner, name, raises, exact):
    original = getattr(owner, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def watched(*args, **kwargs):
        global depth
        depth += 1
        failure = None
        passed = False
        try:
            result = original(*args, **kwargs)
            passed = True if raises else bool(result)
            return result
        except AssertionError as e:
            failure = e
            raise
        except BaseException:
            failure = True
            raise
        finally:
            depth -= 1
            if depth == 0 and (failure is None or isinstance(failure, AssertionError)):
                note(passed, args, kwargs)

    def note(passed, args, kwargs):
        if len(checks) >= MOST_CHECKS:
            if not passed:
                checks[-1]["passed"] = False
            return
        line, column = place(script)
        wants = any(
            at[0] == line and (column is None or at[1] == column) for at in negated
        )
        options = {k: v for k, v in kwargs.items() if k in ("rtol", "atol", "equal_nan") and v is not None}
        if exact:
            options = {"rtol": 0.0, "atol": 0.0}
        told = statistics(library, args[0], args[1], options) if len(args) > 1 else {
            "elements": 0, "mismatches": 0, "maxAbsDifference": None}
        checks.append(
            {
                "name": library + "." + name + " #" + str(len(checks) + 1),
                "kind": name,
                "passed": not passed if wants else passed,
                "line": line,
                "rtol": options.get("rtol"),
                "atol": options.get("atol"),
                "wantsDifference": wants,
                "itself": len(args) > 1 and is_itself(args[0], args[1]),
                **told,
            }
        )

    setattr(owner, name, watched)


def watch_all(script, source):
    negated = wanted_differences(source)
    forms = {
        "torch": [("", "allclose", False, False), ("", "equal", False, True), ("testing", "assert_close", True, False)],
        "numpy": [
            ("", "allclose", False, False),
            ("", "array_equal", False, True),
            ("testing", "assert_allclose", True, False),
            ("testing", "assert_array_equal", True, True),
        ],
    }
    for library, functions in forms.items():
        if library not in source:
            continue
        try:
            module = importlib.import_module(library)
        except ImportError:
            continue
        for inner, name, raises, exact in functions:
            owner = module
            if inner:
                owner = importlib.import_module(library + "." + inner)
            watch(script, negated, library, owner, name, raises, exact)
        tensor = getattr(module, "Tensor", None)
        if library == "torch" and tensor is not None:
            watch(script, negated, library, tensor, "allclose", False, False)
            watch(script, negated, library, tensor, "equal", False, True)


def leave(settings, status, message):
    body = json.dumps(
        {
            "version": 1,
            "run": settings["RUN"],
            "platform": settings["PLATFORM"],
            "devices": [int(d) for d in settings["DEVICES"].split(",")],
            "status": status,
            "message": message[:MOST_TEXT],
            "checks": checks,
        }
    )
    key = bytes.fromhex(settings["KEY"])
    signed = {"body": body, "hmac": hmac.new(key, body.encode(), hashlib.sha256).hexdigest()}
    part = settings["RECORD"] + ".part"
    with open(part, "w", encoding="utf-8") as file:
        json.dump(signed, file)
    os.replace(part, settings["RECORD"])


def main():
    names = ("RUN", "KEY", "RECORD", "PLATFORM", "DEVICES")
    settings = {name: os.environ["RINGMASTER_" + name] for name in names}
    for name in ("RUN", "KEY", "RECORD"):
        del os.environ["RINGMASTER_" + name]
    script = sys.argv[1]
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(script)
    status, message, code = "FINISHED", "", 0
    try:
        with open(script, encoding="utf-8-sig") as file:
            watch_all(script, file.read())
        runpy.run_path(script, run_name="__main__")
    except AssertionError as e:
        traceback.print_exc()
        status, message, code = "ASSERTION", str(e) or "assertion failed", 1
    except SystemExit as e:
        if e.code not in (None, 0):
            status, code = "RAISED", e.code if isinstance(e.code, int) else 1
            message = "the script ended with " + str(e.code)
            if not isinstance(e.code, int):
                print(e.code, file=sys.stderr)
    except BaseException as e:
        traceback.print_exc()
        status, message, code = "RAISED", type(e).__name__ + ": " + str(e), 1
    sys.stdout.flush()
    sys.stderr.flush()
    leave(settings, status, message)
    sys.exit(code)


if __name__ == "__main__":
    main()
