/** Reads a diff as git writes it: files, their hunks, and lines with their numbers. Pure. */

export interface PatchLine {
  readonly mark: '+' | '-' | ' '
  readonly text: string
  /** null where the line is not in that version. */
  readonly oldNumber: number | null
  readonly newNumber: number | null
}

export interface Hunk {
  readonly oldStart: number
  readonly newStart: number
  /** What git says of the place, such as the function. */
  readonly heading: string
  readonly lines: readonly PatchLine[]
}

export interface FilePatch {
  readonly path: string
  /** Before a rename. */
  readonly oldPath: string | null
  readonly change: 'added' | 'deleted' | 'modified' | 'renamed'
  readonly isBinary: boolean
  readonly added: number
  readonly removed: number
  readonly hunks: readonly Hunk[]
}

export function filesOfPatch(text: string): readonly FilePatch[] {
  const starts = text.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '))
  return starts.map(fileOf)
}

function fileOf(text: string): FilePatch {
  const at = text.search(/^@@ /m)
  const head = (at < 0 ? text : text.slice(0, at)).split('\n')
  const named = (start: string): string | undefined => {
    const line = head.find((each) => each.startsWith(start))
    return line === undefined ? undefined : nameOf(line.slice(start.length))
  }
  const has = (start: string): boolean => head.some((line) => line.startsWith(start))
  const before = named('rename from ') ?? withoutPrefix(named('--- '))
  const after = named('rename to ') ?? withoutPrefix(named('+++ '))
  const hunks = at < 0 ? [] : hunksOf(text.slice(at))
  const count = (mark: PatchLine['mark']): number =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.mark === mark).length, 0)
  return {
    path: after ?? before ?? nameInHead(head[0] ?? ''),
    oldPath: has('rename from ') ? (before ?? null) : null,
    change: has('new file')
      ? 'added'
      : has('deleted file')
        ? 'deleted'
        : has('rename from ')
          ? 'renamed'
          : 'modified',
    isBinary: has('Binary files ') || has('GIT binary patch'),
    added: count('+'),
    removed: count('-'),
    hunks,
  }
}

function hunksOf(text: string): Hunk[] {
  return text
    .split(/^(?=@@ )/m)
    .filter((part) => part.startsWith('@@ '))
    .map((part) => {
      const [head = '', ...rest] = part.split('\n')
      const [, old = '1', now = '1', heading = ''] =
        /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/.exec(head) ?? []
      const start = { old: Number(old), now: Number(now) }
      const lines: PatchLine[] = []
      for (const line of rest) {
        const mark = line[0]
        // The last piece is empty; "\ No newline at end of file" is no line.
        if (mark !== '+' && mark !== '-' && mark !== ' ') continue
        const oldNumber = mark === '+' ? null : start.old++
        const newNumber = mark === '-' ? null : start.now++
        lines.push({ mark, text: line.slice(1), oldNumber, newNumber })
      }
      return { oldStart: Number(old), newStart: Number(now), heading, lines }
    })
}

const withoutPrefix = (name: string | undefined): string | undefined =>
  name === undefined || name === '/dev/null' ? undefined : name.slice(2)

/**
 * Names both versions the same when there are no other lines that name them (an empty file, a
 * changed mode).
 */
function nameInHead(line: string): string {
  const both = line.slice('diff --git '.length)
  if (both.startsWith('"')) return nameOf(both.slice(0, both.indexOf('" ') + 1)).slice(2)
  return both.slice(2, (both.length - 1) / 2)
}

/**
 * Git quotes a name with unusual bytes; a tab ends one with spaces. What is no text is shown as
 * `\xNN`.
 */
function nameOf(quoted: string): string {
  const name = quoted.replace(/\t$/, '')
  if (!name.startsWith('"')) return name
  const bytes: number[] = []
  const letters: Readonly<Record<string, string>> = {
    n: '\n',
    t: '\t',
    r: '\r',
    a: '\x07',
    b: '\b',
    f: '\f',
    v: '\v',
  }
  for (const [, octal, letter, other] of name
    .slice(1, -1)
    .matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else bytes.push(...new TextEncoder().encode(other ?? letters[letter ?? ''] ?? letter))
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes))
  } catch {
    return bytes
      .map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`))
      .join('')
  }
}

/** A row of the split view: the old line beside the new one. */
export interface SplitRow {
  readonly left: PatchLine | undefined
  readonly right: PatchLine | undefined
}

/** Stands removed lines beside the added ones that follow them. */
export function splitRows(lines: readonly PatchLine[]): SplitRow[] {
  const rows: SplitRow[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]
    if (line?.mark === ' ') {
      rows.push({ left: line, right: line })
      at++
      continue
    }
    const from = at
    while (lines[at]?.mark === '-') at++
    const middle = at
    while (lines[at]?.mark === '+') at++
    const height = Math.max(middle - from, at - middle)
    for (let row = 0; row < height; row++) {
      const left = from + row < middle ? lines[from + row] : undefined
      const right = middle + row < at ? lines[middle + row] : undefined
      rows.push({ left, right })
    }
  }
  return rows
}
