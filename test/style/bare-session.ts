/** Finds identifiers that say "session" without saying which (docs/glossary.md). */
import {
  eachNode,
  isNamedMember,
  type Node,
  parse,
  placeOf,
  type SourceFile,
} from './source-files.ts'

const bare = /^_?[sS]essions?($|[A-Z])/
/**
 * Folders on either side of the wire use the names that are fixed on it, as names of fields only.
 */
const usesWireNames =
  /^(?:src\/(?:protocol|cli|client|demo|coordinator\/acp|doors\/a[ch]p)|web|test|bench)\//
/** Names of browser interfaces. */
const browserNames = new Set(['sessionStorage'])

export function bareSessions(source: SourceFile): string[] {
  // Parsing is slow, and most files have none.
  if (!/\b_?[sS]ession/.test(source.text)) return []
  const found = new Map<number, string>()
  eachNode(parse(source).program, (node, parent) => {
    const name = String(node['name'])
    if (!/^(JSX)?Identifier$/.test(node.type) || !bare.test(name) || browserNames.has(name)) return
    if (usesWireNames.test(source.path) && isFieldName(node, parent)) return
    // A shorthand property is in the tree twice.
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

const isMethod = (property: Node): boolean =>
  property['method'] === true || property['kind'] !== 'init'
