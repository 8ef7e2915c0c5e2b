/** Finds identifiers that say "session" without saying which (docs/glossary.md). */
import { eachNode, isNamedMember, type Node, parse, placeOf, type SourceFile } from './source-files.ts'

const bare = /^_?[sS]essions?($|[A-Z])/
/** protocol/ and whoever stands on the other side of the wire use the names that are fixed on it; only as names of fields, though. */
const speaksTheWire = /^(?:src\/(?:protocol|cli|client|demo|coordinator\/acp)|web|test|bench)\//
/** Names that browsers gave, not we. */
const notOurs = new Set(['sessionStorage'])

export function bareSessions(source: SourceFile): string[] {
  // Most files have none: they need not be parsed to be sure.
  if (!/\b_?[sS]ession/.test(source.text)) return []
  const found = new Map<number, string>()
  eachNode(parse(source).program, (node, parent) => {
    const name = String(node['name'])
    if (!/^(JSX)?Identifier$/.test(node.type) || !bare.test(name) || notOurs.has(name)) return
    if (speaksTheWire.test(source.path) && isFieldName(node, parent)) return
    // What is short for two names stands in the tree twice.
    found.set(node.start, `${placeOf(source, node)} ${name}`)
  })
  return [...found.values()]
}

function isFieldName(node: Node, parent: Node): boolean {
  if (isNamedMember(parent)) return parent['property'] === node
  const names = parent['key'] === node && parent['computed'] !== true
  if (parent.type === 'Property') return names && parent['shorthand'] === false && !isMethod(parent)
  return names && parent.type === 'TSPropertySignature'
}

const isMethod = (property: Node): boolean => property['method'] === true || property['kind'] !== 'init'
