/**
 * Finds texts of the server that are English alone (HT7): a refusal or a failure that is made
 * without a notice.
 */
import { eachNode, type Node, type Parsed, placeOf, textOf } from './source-files.ts'

/** The errors that are told to a person, and the place of their text among the arguments. */
const places: Readonly<Record<string, number>> = {
  Refusal: 1,
  AcpFailure: 1,
  ChannelFailure: 1,
  GitFailure: 1,
  FolderRefused: 1,
  CannotStart: 0,
  PathRefused: 0,
  FloodError: 0,
  DetailError: 0,
}

/** Whether an expression is a literal, or may be one. */
function isText(node: Node | undefined): boolean {
  switch (node?.type) {
    case 'Literal':
      return typeof node['value'] === 'string' && node['value'] !== ''
    case 'TemplateLiteral':
      return true
    case 'ConditionalExpression':
      return isText(node['consequent'] as Node) || isText(node['alternate'] as Node)
    case 'LogicalExpression':
    case 'BinaryExpression':
      return isText(node['left'] as Node) || isText(node['right'] as Node)
    default:
      return false
  }
}

export function textOnly(file: Parsed): string[] {
  const found: string[] = []
  eachNode(file.program, (node) => {
    if (node.type !== 'NewExpression') return
    const place = places[textOf(file, node['callee'] as Node)]
    const argument = place === undefined ? undefined : (node['arguments'] as Node[])[place]
    if (argument && isText(argument))
      found.push(`${placeOf(file, argument)} ${textOf(file, argument)}`)
  })
  return found
}
