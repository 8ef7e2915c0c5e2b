/**
 * Tells where areas of `src/services` depend on each other as they must not (HS22): two that import
 * each other, one that imports a flow, and one that calls another area's move. A move is an
 * exported function whose first parameter is a transaction, or a use case; a function that only
 * locks is none.
 */
import { join } from 'node:path'
import { eachNode, type Node, parse, type SourceFile } from './source-files.ts'

const services = /^src\/services\/([\w-]+)\/(?:[\w-]+\/)?[\w-]+\.ts$/
const flows = 'flows'

interface AreaImport {
  readonly from: SourceFile['path']
  readonly area: string
  /** The file that is imported, and its area. */
  readonly to: string
  readonly toArea: string
  readonly names: readonly string[]
}

export function wrongImports(files: readonly SourceFile[]): string[] {
  const parsed = files.filter(({ path }) => services.test(path)).map(parse)
  const imports = parsed.flatMap(({ path, program }) => importsOf(path, program))
  const moves = new Map(parsed.map(({ path, program }) => [path, movesIn(program)]))
  const ofAreas = imports.filter(({ area, toArea }) => area !== flows && area !== toArea)
  const pairs = new Set(ofAreas.map(({ area, toArea }) => `${area} → ${toArea}`))
  return [
    ...[...pairs]
      .filter((pair) => pairs.has(pair.split(' → ').reverse().join(' → ')))
      .map((pair) => `${pair} and back`),
    ...ofAreas
      .filter(({ toArea }) => toArea === flows)
      .map(({ from, to }) => `${from} imports the flow ${to}`),
    ...ofAreas.flatMap(({ from, to, names }) =>
      names
        .filter((name) => moves.get(to)?.has(name))
        .map((name) => `${from} calls ${name} of ${to}`),
    ),
  ]
}

const areaOf = (path: string): string => services.exec(path)?.[1] ?? ''

function importsOf(path: string, program: Node): AreaImport[] {
  const found: AreaImport[] = []
  eachNode(program, (node) => {
    if (node.type !== 'ImportDeclaration') return
    const source = (node['source'] as Node)['value'] as string
    const to = source.startsWith('.') ? join(path, '..', source) : source
    if (!services.test(to)) return
    const specifiers = node['specifiers'] as readonly Node[]
    const names = specifiers.flatMap((each) => {
      const imported = each['imported'] as Node | undefined
      return imported ? [imported['name'] as string] : []
    })
    found.push({ from: path, area: areaOf(path), to, toArea: areaOf(to), names })
  })
  return found
}

function movesIn(program: Node): Set<string> {
  const moves = new Set<string>()
  const add = (name: string, value: Node): void => {
    const isUseCase =
      value.type === 'CallExpression' && (value['callee'] as Node)['name'] === 'defineUseCase'
    const [first] = (value['params'] as readonly Node[] | undefined) ?? []
    if (isUseCase || (first && takesTransaction(first) && !name.startsWith('lock'))) moves.add(name)
  }
  eachNode(program, (node) => {
    const declared = node.type === 'ExportNamedDeclaration' && (node['declaration'] as Node | null)
    if (!declared) return
    if (declared.type === 'FunctionDeclaration')
      add((declared['id'] as Node)['name'] as string, declared)
    if (declared.type === 'VariableDeclaration')
      for (const each of declared['declarations'] as readonly Node[])
        if (each['init']) add((each['id'] as Node)['name'] as string, each['init'] as Node)
  })
  return moves
}

function takesTransaction(parameter: Node): boolean {
  let found = false
  const annotation = parameter['typeAnnotation'] as Node | undefined
  if (annotation)
    eachNode(annotation, (node) => {
      if (node.type === 'Identifier' && node['name'] === 'Tx') found = true
    })
  return found
}
