"""How kernels are compiled and linked: inner functions into what calls them, stages and entries each once by themselves.

Numba makes machine code of every function, however small, and then again of whatever it is merged into. Here an *inner*
function stays LLVM's intermediate code, optimised, until it is merged; a *stage* is machine code of its own, which whatever calls
it finds by its name, as with a linker; an *entry* is machine code that Python calls. Stages are compiled once however many
entries call them.

This file is all that knows how Numba lowers functions: it stands in for its last pass, and is tested with each version of it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import llvmlite.binding as llvm
from numba import _dynfunc
from numba.core import funcdesc, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, _LowerResult
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass
from numba.core.environment import lookup_environment
from numba.core.lowering import Lower
from numba.core.typed_passes import (
    InlineOverloads,
    IRLegalization,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
    fallback_context,
)
from numba.core.untyped_passes import (
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    RewriteSemanticConstants,
    TranslateByteCode,
)

_ENVIRONMENT = "_ZN08NumbaEnv"


class _Library(JITCodeLibrary):  # type: ignore[misc]
    """Code that is optimised for any processor of its kind; machine code is made for the one that is there.

    With the wide registers of some processors in view LLVM packs the short sums of spatial algebra together, and spends more on
    that than it gains: forward dynamics takes a fifth longer. Only what computes with packs is optimised for them.
    """

    packed = False

    def _optimize_functions(self, ll_module: Any) -> None:
        """Nothing by themselves: `finalize` comes at once."""
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        codegen = self._codegen
        own, codegen._tm = codegen._tm, codegen._tm if self.packed else _plain_machine()
        try:
            self._optimize()
        finally:
            codegen._tm = own

    def _optimize(self) -> None:
        """Numba's own passes."""
        super()._optimize_final_module()


@cache
def _plain_machine() -> Any:
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(opt=3)


class InnerLibrary(_Library):
    """Intermediate code that is merged into what calls it.

    It is optimised by itself first: merged as it comes it would become slower code.
    """

    def _optimize(self) -> None:
        """Once, without Numba's pass before that, which looks for the counting of references."""
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)

    def finalize(self) -> None:
        """Merge and optimise; there is no machine code."""
        self._raise_if_finalized()
        self.stages = _link(self)
        self._optimize_final_module()
        self._finalize_dynamic_globals()
        self._finalized = True


class PlainLibrary(InnerLibrary):
    """The same for what one function alone calls, and which is nearly all of that: it is optimised there, and only there."""

    def _optimize(self) -> None:
        """Nothing."""


class LinkedLibrary(_Library):
    """Machine code of an entry with all inner functions that it calls; stages are called by their names."""

    def finalize(self) -> None:
        """Merge, optimise, and make machine code."""
        self._codegen._check_llvm_bugs()
        self._raise_if_finalized()
        self.stages = _link(self)
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()


class StageLibrary(LinkedLibrary):
    """Machine code of a stage, which is never merged."""

    described: Stage


Stage = tuple[str, Any]
"""The full name of a stage, and the types of its arguments."""


def _link(library: Any) -> tuple[Stage, ...]:
    """Merge all inner functions that a library calls into it; returns the stages that it and they call."""
    stages: dict[Stage, None] = {}
    for called in dict.fromkeys(library._linking_libraries):
        if isinstance(called, StageLibrary):
            stages[called.described] = None
            continue
        if isinstance(called, InnerLibrary):
            stages.update(dict.fromkeys(called.stages))
        library._reload_init.update(called._reload_init)
        library._final_module.link_in(called._get_module_for_linking(), preserve=True)
    return tuple(stages)


class _Lowering(LoweringPass):  # type: ignore[misc]
    """From typed intermediate code of Numba to a library: what Numba's own last pass does, for a kind of library."""

    library_class: type[Any]

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        context, flags = state.targetctx, state.flags
        if not flags.nrt and _has_arrays(state.return_type):
            raise TypeError(f"{state.func_id.func_qualname} returns an array, so it must be an `inline_view` or `allocating`.")
        library = self.library_class(context.codegen(), state.func_id.func_qualname)
        library.packed = any("float64x" in str(kind) for kind in state.args)
        library.enable_object_caching()
        library._reload_init.update(state.reload_init)
        tag = flags.get_mangle_string()
        if self.library_class is StageLibrary:
            library.described = f"{state.func_id.modname}.{state.func_id.func_qualname}", tuple(state.args)
            state.func_id.unique_id, tag = 0, "stage"  # the same name in every process, for others to find it by
        with fallback_context(state, f"Function {state.func_id.func_name} failed at nopython mode lowering"):
            fndesc = funcdesc.PythonFunctionDescriptor.from_specialized_function(
                state.func_ir, state.typemap, state.return_type, state.calltypes, mangler=context.mangler,
                inline=flags.forceinline, noalias=flags.noalias, abi_tags=[tag],
            )  # fmt: skip
            with context.push_code_library(library):
                lower = Lower(context, library, fndesc, state.func_ir, metadata=state.metadata)
                lower.lower()
                if not flags.no_cpython_wrapper:
                    lower.create_cpython_wrapper(flags.release_gil)
                if not flags.no_cfunc_wrapper:
                    lower.create_cfunc_wrapper()
                environment, call_helper = lower.env, lower.call_helper
                del lower
            function = executable(context, library, fndesc, environment)
            context.insert_user_function(function, fndesc, [library])
            state.reload_init.extend(library._reload_init)
            state.library, state["cr"] = library, _LowerResult(fndesc, call_helper, cfunc=function, env=environment)
            state.metadata["prune_stats"] = state.metadata["llvm_pass_timings"] = None
        return True


def _has_arrays(kind: Any) -> bool:
    return isinstance(kind, types.Array) or (isinstance(kind, types.BaseTuple) and any(map(_has_arrays, kind)))


def executable(context: Any, library: Any, fndesc: Any, environment: Any) -> Any:
    """What Python calls, or for an inner function something that stands for it and must not be called."""
    library._ensure_finalized()
    if isinstance(library, InnerLibrary):
        # nothing to run, and no place for its environment: an entry that it is merged into has one
        return _dynfunc.make_function(fndesc.lookup_module(), fndesc.qualname, "inner", 0, environment, (library,))
    function = context.get_executable(library, fndesc, environment)
    for variable in library._final_module.global_variables:
        own = lookup_environment(variable.name) if variable.name.startswith(_ENVIRONMENT) else None
        if own is not None:  # of inner functions that were merged into it
            library.codegen.set_env(variable.name, own)
    return function


# Of Numba's passes those that plain loops and arithmetic need; the others look, function by function, for what is not there:
# closures, `with` blocks, literal unrolling, array expressions.
_TO_TYPES = (
    TranslateByteCode,
    FixupArgs,
    IRProcessing,
    RewriteSemanticConstants,
    GenericRewrites,
    ReconstructSSA,
    NopythonTypeInference,
    PreLowerStripPhis,
    InlineOverloads,
    IRLegalization,
)


def _compiler(kind: type[Any], name: str) -> type[CompilerBase]:
    """Numba's compiler with fewer passes, and with its last one replaced."""

    @register_pass(mutates_CFG=True, analysis_only=False)
    class Lowering(_Lowering):
        _name = name
        library_class = kind

    class Compiler(CompilerBase):  # type: ignore[misc]
        def define_pipelines(self) -> list[Any]:
            manager = PassManager(name)
            for step in (*_TO_TYPES, Lowering, NoPythonBackend):
                manager.add_pass(step, step.__name__)
            manager.finalize()
            return [manager]

    return Compiler


Inner = _compiler(InnerLibrary, "regraft_inner")
Plain = _compiler(PlainLibrary, "regraft_plain")
Staged = _compiler(StageLibrary, "regraft_stage")
Entry = _compiler(LinkedLibrary, "regraft_entry")
