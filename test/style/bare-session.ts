/** Finds identifiers that say "session" without saying which (docs/glossary.md). */
import ts from 'typescript'
import { nodesOf, parse, placeOf, type SourceFile } from './source-files.ts'

const bare = /^_?[sS]essions?($|[A-Z])/
/** protocol/ and whoever stands on the other side of the wire use the names that are fixed on it; only as names of fields, though. */
const speaksTheWire = /^(?:src\/(?:protocol|cli|client|agents|coordinator\/acp)|web|test|bench)\//
/** Names that browsers gave, not we. */
const notOurs = new Set(['sessionStorage'])

export function bareSessions(source: SourceFile): string[] {
  // Most files have none: they need not be parsed to be sure.
  if (!/\b_?[sS]ession/.test(source.text)) return []
  const file = parse(source)
  const found: string[] = []
  for (const node of nodesOf(file)) {
    if (!ts.isIdentifier(node) || !bare.test(node.text) || notOurs.has(node.text)) continue
    if (speaksTheWire.test(source.path) && isFieldName(node)) continue
    found.push(`${placeOf(file, node)} ${node.text}`)
  }
  return found
}

function isFieldName(node: ts.Identifier): boolean {
  const { parent } = node
  return (
    ((ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isPropertyAccessExpression(parent)) &&
      parent.name === node) ||
    (ts.isBindingElement(parent) && parent.propertyName === node)
  )
}
