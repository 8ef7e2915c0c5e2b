/**
 * Random histories of a file as agents write it. Each line has an id that moves with it, so a test
 * knows which line is meant; a copy, and what is written anew, is another line even when it reads
 * the same.
 */
export interface WrittenLine {
  readonly id: number
  readonly text: string
}
export type Version = readonly WrittenLine[]

const names = ['order', 'price', 'stock', 'basket', 'client', 'coupon', 'invoice', 'parcel']
const everywhere = [
  '',
  '',
  '}',
  '}',
  '  }',
  '    }',
  '  })',
  '  return',
  '  } else {',
  ' */',
  '/**',
]

/** The same numbers from the same seed: a linear congruence, its upper bits. */
function randomFrom(seed: number): (below: number) => number {
  let state = (seed * 0x9e3779b1 + 0x7f4a7c15) >>> 0
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

export function editHistory(seed: number, turns: number, maxEdits: number): Version[] {
  const random = randomFrom(seed)
  for (let warm = 0; warm < 8; warm++) random(2)
  const one = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item
  let lastId = 0
  const line = (text: string): WrittenLine => ({ id: ++lastId, text })
  const text = (): string => {
    if (random(100) < 38) return one(everywhere)
    const [a, b] = [one(names), one(names)]
    return one([
      `  const ${a} = ${b}.find()`,
      `  if (!${a}) throw new Error('${b}')`,
      `export const ${a}Of${b}${random(9)} = () => {`,
      `  ${a}.add(${b}, ${random(20)})`,
      `import { ${a} } from './${b}.js'`,
    ])
  }
  const block = (size: number) => Array.from({ length: size }, () => line(text()))
  const edit = (now: Version): Version => {
    const at = random(now.length + 1)
    const size = 1 + random(random(5) === 0 ? 25 : 5)
    const [head, cut, tail] = [now.slice(0, at), now.slice(at, at + size), now.slice(at + size)]
    const rest = [...head, ...tail]
    const changed = (each: WrittenLine): WrittenLine =>
      random(10) < 7 ? { id: each.id, text: `${each.text} // ${random(1000)}` } : each
    const to = random(rest.length + 1)
    const [added, removed, rewritten, anew, copied, moved, indented] = [
      [...head, ...block(size), ...cut, ...tail],
      rest,
      [...head, ...cut.map(changed), ...tail],
      [...head, ...block(size + random(4)), ...tail],
      [...head, ...cut, ...cut.map((each) => line(each.text)), ...tail],
      [...rest.slice(0, to), ...cut, ...rest.slice(to)],
      [...head, ...cut.map((each) => ({ id: each.id, text: `  ${each.text}` })), ...tail],
    ] as const
    const chance = random(100)
    if (chance < 24) return added
    if (chance < 42) return removed
    if (chance < 60) return rewritten
    if (chance < 72) return anew
    if (chance < 80) return copied
    if (chance < 88) return moved
    if (chance < 94) return indented
    return [...head, line(one(everywhere)), ...cut, ...tail]
  }
  const versions: Version[] = [block(20 + random(160))]
  for (let turn = 0; turn < turns; turn++) {
    let now = versions.at(-1) as Version
    if (versions.length > 2 && random(100) < 8) now = one(versions)
    else for (let edits = 1 + random(maxEdits); edits > 0; edits--) now = edit(now)
    versions.push(now)
  }
  return versions
}
