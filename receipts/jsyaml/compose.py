"""Turns the concrete tree into nodes, refusing whatever npm `yaml` reports as an error."""

from receipts.jsyaml.builder import build
from receipts.jsyaml.cst import BlockMap, BlockSeq, Document, DocumentEnd, Token
from receipts.jsyaml.directives import Directives
from receipts.jsyaml.errors import Fault
from receipts.jsyaml.lexer import tokens
from receipts.jsyaml.nodereader import NodeReader
from receipts.jsyaml.nodes import AnyNode
from receipts.jsyaml.props import read_end, read_props
from receipts.jsyaml.schema import Schema
from receipts.jsyaml.trampoline import run


class Composed:
    """One document: its root node, None when the text holds nothing, and how its tags are read."""

    def __init__(
        self,
        root: AnyNode | None,
        schema: Schema,
        directives: Directives,
        doubt: Fault | None = None,
    ) -> None:
        self.root = root
        self.schema = schema
        self.directives = directives
        self.doubt = doubt


def compose(units: str) -> Composed:
    """Compose the only document of a text.

    Raises:
        Fault: The text has errors or more than one document.
    """
    directives = Directives()
    composed: Composed | None = None
    at_directives = False
    for part in build(tokens(units)):
        match part:
            case Token():
                (Directives() if composed else directives).add(part)
                at_directives = True
            case Document():
                if composed is not None:
                    raise Fault("The text holds more than one document", part.at)
                if at_directives and not part.start.has("doc-start"):
                    raise Fault("Missing --- after the directives", part.at)
                composed = _document(part, directives)
                at_directives = False
            case DocumentEnd():
                if composed is None:
                    raise Fault("Unexpected ... without a document", part.at)
                read_end(part.end, part.at)
    if composed is None:
        if at_directives:
            raise Fault("Missing --- after the directives", len(units))
        return Composed(None, directives.schema(), directives)
    if composed.doubt:
        raise composed.doubt
    return composed


def _document(document: Document, directives: Directives) -> Composed:
    schema = directives.schema()
    value = document.value
    following = value or (document.end[0] if document.end else None)
    props = read_props(document.start, "doc-start", following, document.at, 0, at_newline=True)
    on_marker_line = props.found is not None and not props.has_newline
    if on_marker_line and isinstance(value, BlockMap | BlockSeq):
        raise Fault("A block collection cannot start on the line of ---", props.end)
    reader = NodeReader(schema, directives)
    if value is None:
        root: AnyNode = reader.empty(props, document.start, props.end)
    else:
        root = run(reader.node(value, props))
    read_end(document.end, root.end, needs_space=False)
    return Composed(root, schema, directives, reader.doubt)
