/** Finds variables, functions and types whose name says nothing of what they are (HS14). */
import { eachNode, type Node, type Parsed, placeOf } from './source-files.ts'

const refused = new Set(['Place', 'talk', 'which', 'said', 'asked', 'known', 'kept', 'its'])

interface Name extends Node {
  readonly name: string
}

const isName = (node: Node | null | undefined): node is Name => node?.type === 'Identifier'

/** Names that a pattern declares, but for fields that are taken out under their own name. */
function declaredBy(pattern: Node): Node[] {
  if (isName(pattern)) return [pattern]
  if (pattern.type === 'AssignmentPattern') return declaredBy(pattern['left'] as Node)
  if (pattern.type === 'ArrayPattern')
    return (pattern['elements'] as (Node | null)[]).flatMap((each) =>
      each ? declaredBy(each) : [],
    )
  if (pattern.type === 'ObjectPattern')
    return (pattern['properties'] as Node[])
      .filter((each) => each.type === 'Property' && each['shorthand'] === false)
      .flatMap((each) => declaredBy(each['value'] as Node))
  return []
}

const declarations = new Set([
  'FunctionDeclaration',
  'ClassDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
])

function namesIn(node: Node): Node[] {
  if (declarations.has(node.type)) {
    const id = node['id'] as Node | null
    return [...(isName(id) ? [id] : []), ...parametersOf(node)]
  }
  if (node.type === 'VariableDeclarator') return declaredBy(node['id'] as Node)
  return parametersOf(node)
}

const parametersOf = (node: Node): Node[] => {
  const parameters = node['params']
  return Array.isArray(parameters) ? parameters.flatMap(declaredBy) : []
}

export function namesThatSayNothing(source: Parsed): string[] {
  const found: string[] = []
  eachNode(source.program, (node) => {
    for (const each of namesIn(node))
      if (isName(each) && refused.has(each.name))
        found.push(`${placeOf(source, each)} ${each.name}`)
  })
  return found
}
