/**
 * What keys do to the one cursor of Now. A digit presses the button it is printed on, only while
 * the digits are on the row: from the moment the cursor is put there until any other key. Pure.
 */
export interface Cursor {
  /** The row it is on; undefined: nowhere. */
  readonly at: string | undefined
  /** Whether the digits are on the row. */
  readonly armed: boolean
  /** When what is unfolded changed. */
  readonly since: number
}

export const noCursor: Cursor = { at: undefined, armed: false, since: 0 }

/** What has just come under the finger is not pressed by a key that was meant for another row. */
const quietMs = 400

export const putOn = (at: string | undefined, now: number): Cursor => ({
  at,
  armed: at !== undefined,
  since: now,
})

export interface Pressed {
  readonly cursor: Cursor
  /** The number of the button to press. */
  readonly press?: number
}

interface Key {
  readonly key: string
  /** Held down. */
  readonly repeat: boolean
  /** Something is typed in, a dialog is open, or a modifier is held. */
  readonly elsewhere: boolean
}

export function afterKey(
  cursor: Cursor,
  { key, repeat, elsewhere }: Key,
  rows: readonly string[],
  now: number,
): Pressed {
  const disarmed = { ...cursor, armed: false }
  if (elsewhere) return { cursor: disarmed }
  if (key === 'j' || key === 'k') {
    const from = rows.indexOf(cursor.at ?? '')
    const to = key === 'j' ? Math.min(rows.length - 1, from + 1) : Math.max(0, from - 1)
    const at = rows[to]
    return { cursor: { ...putOn(at, now), since: at === cursor.at ? cursor.since : now } }
  }
  if (!/^[1-9]$/.test(key) || !cursor.armed || cursor.at === undefined) return { cursor: disarmed }
  if (repeat || now - cursor.since < quietMs) return { cursor }
  return { cursor: disarmed, press: Number(key) }
}
