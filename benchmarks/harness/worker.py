"""Runs functions of a file in another environment, for environments.py; it stands alone."""

import os
import pickle
import runpy
import sys
import traceback
from time import perf_counter, process_time


def main() -> None:
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not come between answers
    file = sys.argv[1]
    sys.path[0] = os.path.dirname(file)  # not this folder, whose modules have common names
    functions, ways = {}, []
    while True:
        try:
            kind, *given = pickle.load(questions)
        except EOFError:  # nobody can ask any more
            return
        try:
            if kind == "load":
                functions = runpy.run_path(file)
                answer = None
            elif kind == "prepare":
                name, arguments = given
                ways.append(functions[name](*arguments))
                answer = len(ways) - 1
            else:
                cpu, wall = process_time(), perf_counter()
                found = ways[given[0]]()
                answer = (perf_counter() - wall, process_time() - cpu), found
            reply = pickle.dumps((False, answer), protocol=5)
        except BaseException:  # a panic of Rust is no Exception
            reply = pickle.dumps((True, traceback.format_exc()))
        try:
            answers.write(reply)
            answers.flush()
        except BrokenPipeError:  # the parent has ended meanwhile
            os._exit(1)


main()
