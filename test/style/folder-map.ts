/**
 * Reads the folder map out of a text and the folders out of the tree, and tells where they differ
 * (HS13).
 */

export interface FolderMap {
  /** Every folder of the map, as a path below the root: `src/store/log`. */
  readonly folders: readonly string[]
  /** Those that have a folder for each area they deal with. */
  readonly byArea: ReadonlySet<string>
}

/**
 * A map has a line for each folder, indented below the one it is in: `  store/  the database (by
 * area)`. Several may share a line.
 */
export function readMap(text: string): FolderMap {
  const folders: string[] = []
  const byArea = new Set<string>()
  let parents: { indent: number; path: string }[] = []
  for (const line of text.split('\n').map((each) => each.replace(/^ \* ?/, ''))) {
    const [, indent = '', names = '', what = ''] =
      line.match(/^( *)((?:[\w-]+\/)+(?: {2}(?:[\w-]+\/)+)*)(?=$| {2,})(.*)$/) ?? []
    if (names === '') continue
    parents = parents.filter((parent) => parent.indent < indent.length)
    const parent = parents.at(-1)?.path
    if (parent === undefined && indent !== '') continue
    for (const name of names.split(/ +/)) {
      const path = `${parent === undefined ? '' : `${parent}/`}${name.slice(0, -1)}`
      folders.push(path)
      if (what.endsWith('(by area)')) byArea.add(path)
      parents.push({ indent: indent.length, path })
    }
  }
  return { folders, byArea }
}

/**
 * How deep the map goes: in src/ to the folders of a layer, in the flows to their folders,
 * elsewhere to the first folders.
 */
const depths: Readonly<Record<string, number>> = {
  src: 2,
  'src/services/flows': 1,
  'web/src': 1,
  test: 1,
}

/** What the tree has and the map has not, or the other way round. */
export function differences(
  map: FolderMap,
  paths: readonly string[],
  areas: readonly string[],
): string[] {
  const roots = map.folders.filter((path) => path in depths)
  const inTree = new Set(
    roots.flatMap((root) => [root, ...foldersBelow(root, depths[root] ?? 1, paths)]),
  )
  const isArea = (path: string): boolean => {
    const [, parent = '', name = ''] = path.match(/^(.*)\/([^/]+)$/) ?? []
    return map.byArea.has(parent) && areas.includes(name)
  }
  const inMap = map.folders
  return [
    ...[...inTree]
      .filter((path) => !inMap.includes(path) && !isArea(path))
      .map((path) => `${path} is not in the map`),
    ...inMap
      .filter((path) => !inTree.has(path))
      .map((path) => `${path} is in the map and not in the tree`),
    ...[...map.byArea]
      .filter(
        (path) => !areas.some((area) => paths.some((each) => each.startsWith(`${path}/${area}/`))),
      )
      .map((path) => `${path} has no areas`),
  ]
}

function foldersBelow(root: string, depth: number, paths: readonly string[]): string[] {
  const below = paths
    .filter((path) => path.startsWith(`${root}/`))
    .map((path) =>
      path
        .slice(root.length + 1)
        .split('/')
        .slice(0, -1),
    )
  return below.flatMap((names) =>
    names.slice(0, depth).map((_, i) => `${root}/${names.slice(0, i + 1).join('/')}`),
  )
}
