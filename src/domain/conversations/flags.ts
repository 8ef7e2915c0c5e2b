/**
 * The flags of a conversation (CV3): camelCase here, snake_case in files. Known flags are typed and
 * left out while unset. Unknown ones, from other or newer programs, are kept. Pure.
 */
const knownFlags = {
  localOnly: { written: 'local_only', kind: 'boolean' },
  prevPrimaryRoute: { written: 'prev_primary_route', kind: 'string' },
  originMessageId: { written: 'origin_message_id', kind: 'string' },
  originRoute: { written: 'origin_route', kind: 'string' },
  pendingOriginReply: { written: 'pending_origin_reply', kind: 'boolean' },
  workOverlayTurnsLeft: { written: 'work_overlay_turns_left', kind: 'number' },
  workOverlayDirective: { written: 'work_overlay_directive', kind: 'string' },
  pendingApprovalJobId: { written: 'pending_approval_job_id', kind: 'string' },
} as const satisfies Record<string, { written: string; kind: 'boolean' | 'string' | 'number' }>

type KnownFlag = keyof typeof knownFlags
export type Flags = Readonly<Record<string, unknown>>

export interface FlagRefusal {
  readonly code: 'invalid_request'
  readonly field: string
  readonly detail: string
}

const knownNames = Object.keys(knownFlags) as KnownFlag[]
const knownByEitherName = new Map<string, KnownFlag>([
  ...knownNames.map((name) => [name, name] as const),
  ...knownNames.map((name) => [knownFlags[name].written, name] as const),
])

/** false, empty and zero mean unset. */
const isUnset = (value: unknown): boolean =>
  value === undefined || value === null || value === false || value === '' || value === 0

/**
 * Reads flags in either spelling; the file's wins. Refused when a known flag has the wrong type.
 * Unset ones are left out.
 */
export function readFlags(given: Flags): { flags: Flags } | { refused: FlagRefusal } {
  const flags = new Map<string, unknown>()
  for (const [name, value] of Object.entries(given)) {
    const flag = knownByEitherName.get(name)
    if (!flag) {
      flags.set(name, value)
      continue
    }
    const problem = isUnset(value) ? undefined : problemWith(flag, value)
    if (problem)
      return {
        refused: { code: 'invalid_request', field: name, detail: `${name} must be ${problem}` },
      }
    const overruled = name === flag && Object.hasOwn(given, knownFlags[flag].written)
    if (!overruled && !isUnset(value)) flags.set(flag, value)
  }
  return { flags: Object.fromEntries(flags) }
}

export const writeFlags = (flags: Flags): Flags =>
  Object.fromEntries(
    Object.entries(flags)
      .filter(([name, value]) => !(isKnown(name) && isUnset(value)))
      .map(([name, value]) => [isKnown(name) ? knownFlags[name].written : name, value]),
  )

const isKnown = (name: string): name is KnownFlag => Object.hasOwn(knownFlags, name)

function problemWith(name: KnownFlag, value: unknown): string | undefined {
  const { kind } = knownFlags[name]
  if (kind === 'number')
    return Number.isSafeInteger(value) && Number(value) > 0
      ? undefined
      : 'a whole number, not negative'
  if (typeof value === kind) return undefined
  return kind === 'boolean' ? 'true or false' : 'text'
}
