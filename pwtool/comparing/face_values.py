"""Conditions on things, and their values, by their faces, for the normal forms of expressions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from pwtool.comparing.expression_queries import Env, faces_in
from pwtool.comparing.forms import FALSE, NOTHING, TRUE, Linear, NormalForm, as_bag, negated
from pwtool.comparing.tallies import gathered, tally
from pwtool.eval.backend import Evaluator
from pwtool.ir import nodes as ir
from pwtool.ir.model import Ruleset
from pwtool.ir.nodes import Expr
from pwtool.ir.types import BOOL, MAX_NUMBER, Type, number
from pwtool.ir.walk import rebuilt
from pwtool.kernel.compiler import Compiler


class FaceValues(ABC):
    """`faces` is False if the components differ from those compared with; `elements` are the components that the elements of
    collections of faces belong to.
    """

    ruleset: Ruleset
    faces: bool
    elements: dict[NormalForm, str]
    _compiler: Compiler | None

    @abstractmethod
    def form(self, expr: Expr | None, env: Env | None = None, depth: int = 0) -> NormalForm:
        """The form of an expression inside `depth` loops."""

    @abstractmethod
    def _typed(self, form: NormalForm, type_: Type) -> NormalForm:
        """A form whose type is recorded."""

    @abstractmethod
    def _equal(self, a: NormalForm, b: NormalForm) -> NormalForm:
        """That two values are the same."""

    def _inner(self, expr: ir.Loop, env: Env, depth: int) -> Env:
        return {**env, expr.slot: ("bound", depth)}

    def _opened(self, expr: Expr, holes: list[Expr]) -> tuple[Evaluator, Sequence[str]]:
        """An expression about one face as a function of it, and the codes of the faces."""
        hole = ir.Local(holes[0].type, 0)

        def opened(part: Expr) -> Expr:
            return hole if any(part is found for found in holes) else rebuilt(part, opened)

        self._compiler = self._compiler or Compiler(self.ruleset)
        return self._compiler.compile(opened(expr)), self.ruleset.components[hole.type.component].codes

    def _face_table(self, expr: Expr, env: Env, depth: int) -> NormalForm | None:
        """A condition on one face as the list of faces that meet it."""
        holes = faces_in(expr)
        if not holes:
            return None
        forms = {self.form(hole, env, depth) for hole in holes}
        type_ = holes[0].type
        if len(forms) > 1 or any(hole.type != type_ for hole in holes):
            return None
        test, codes = self._opened(expr, holes)
        verdicts: dict[str, bool] = {}
        for face, code in [*enumerate(codes), *([(None, "")] if type_.optional else [])]:
            verdicts[code] = bool(test(None, [face]))
        return self._listed(verdicts, forms.pop())

    def _listed(self, verdicts: dict[str, bool], of: NormalForm) -> NormalForm:
        order = sorted(verdicts)
        first = verdicts[order[0]]
        if "" in verdicts and len({verdicts[code] for code in order[1:]}) == 1 and verdicts[order[1]] != first:
            # It only asks whether there is one at all.
            return self._equal(of, NOTHING) if first else negated(self._equal(of, NOTHING))
        listed = tuple(code for code in order if verdicts[code] != first)
        if not listed:
            return TRUE if first else FALSE
        form = self._typed(("Faces", listed, of), BOOL)
        return negated(form) if first else form

    def _things(self, of: Expr, env: Env, depth: int) -> NormalForm:
        """A collection whose order makes no difference; for faces, their component is recorded."""
        form = as_bag(self.form(of, env, depth))
        element = of.type.element
        if element is not None and element.kind == "face" and not element.optional and self.faces:
            self.elements[form] = element.component
        return form

    def _codes_of(self, domain: NormalForm) -> list[str] | None:
        component = self.elements.get(domain)
        return None if component is None else list(self.ruleset.components[component].codes)

    def _worth_by_face(self, expr: ir.SumWhere, env: Env, depth: int) -> dict[str, int] | None:
        """The same for a sum over faces of something that depends on nothing else."""
        holes = faces_in(expr.body) if self.faces else []
        if not holes or any(
            hole.type != holes[0].type or hole.type.optional or self.form(hole, env, depth + 1) != ("bound", depth)
            for hole in holes
        ):
            return None
        test, codes = self._opened(expr.body, holes)
        values = {code: test(None, [face]) for face, code in enumerate(codes)}
        return values if all(type(v) is int for v in values.values()) else None

    def _tallied(self, worth: dict[str, int], domain: NormalForm, depth: int) -> Linear:
        return gathered((0, {tally(worth, depth, domain): 1}), self._codes_of, self._counted)

    def _counted(self, form: NormalForm, low: int, high: int) -> NormalForm:
        return self._typed(form, number(low * MAX_NUMBER, high * MAX_NUMBER))

    def _gathered(self, value: Linear) -> Linear:
        return gathered(value, self._codes_of, self._counted)
