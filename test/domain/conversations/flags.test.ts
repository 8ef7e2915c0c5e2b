import { describe, expect, test } from 'vitest'
import { type Flags, readFlags, writeFlags } from '../../../src/domain/conversations/flags.ts'
import { fc, property } from '../../support/property.ts'

/** CV3, word for word, with a value each and its name in files. */
const known = [
  ['localOnly', 'local_only', true],
  ['prevPrimaryRoute', 'prev_primary_route', 'CHAT'],
  ['originMessageId', 'origin_message_id', 'm1'],
  ['originRoute', 'origin_route', 'CODE'],
  ['pendingOriginReply', 'pending_origin_reply', true],
  ['workOverlayTurnsLeft', 'work_overlay_turns_left', 8],
  ['workOverlayDirective', 'work_overlay_directive', 'be brief'],
  ['pendingApprovalJobId', 'pending_approval_job_id', 'job-1'],
] as const

const read = (given: Flags): Flags => {
  const result = readFlags(given)
  if ('refused' in result) throw new Error(result.refused.detail)
  return result.flags
}

describe('the flags of a conversation', () => {
  test.each(known)('[CV3] %s is %s in files', (name, written, value) => {
    expect(writeFlags({ [name]: value })).toEqual({ [written]: value })
    expect(read({ [written]: value })).toEqual({ [name]: value })
    expect(read({ [name]: value })).toEqual({ [name]: value })
  })

  test.each(known)('[CV3] %s is left out while it is unset', (name, written, value) => {
    const unset = { boolean: false, string: '', number: 0 }[
      typeof value as 'boolean' | 'string' | 'number'
    ]
    for (const nothing of [unset, null, undefined]) {
      expect(writeFlags({ [name]: nothing })).toEqual({})
      expect(read({ [name]: nothing })).toEqual({})
      expect(read({ [written]: nothing })).toEqual({})
    }
  })

  test.each(known)(
    '[CV3] %s of another kind is refused, by the name it came with',
    (name, written, value) => {
      for (const wrong of [
        typeof value === 'string' ? 1 : 'yes',
        {},
        [],
        typeof value === 'number' ? -1 : 0.5,
      ]) {
        expect(readFlags({ [name]: wrong })).toMatchObject({
          refused: { code: 'invalid_request', field: name },
        })
        expect(readFlags({ [written]: wrong })).toMatchObject({ refused: { field: written } })
      }
    },
  )

  test('[CV3] where both spellings are given, the one of files counts', () => {
    expect(read({ originRoute: 'A', origin_route: 'B' })).toEqual({ originRoute: 'B' })
    expect(read({ origin_route: 'B', originRoute: 'A' })).toEqual({ originRoute: 'B' })
  })

  property.prop([
    fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom('__proto__', 'toString', 'foo_Bar', 'localonly')),
      fc.jsonValue(),
    ),
    fc.record(Object.fromEntries(known.map(([name, , value]) => [name, fc.constant(value)])), {
      requiredKeys: [],
    }),
  ])(
    '[CV3] unknown ones survive a round trip as they are, whatever they hold, and known ones with them',
    (unknown, some) => {
      const flags = { ...unknown, ...some }
      expect(read(writeFlags(flags))).toEqual(flags)
      expect(read(JSON.parse(JSON.stringify(writeFlags(flags))) as Flags)).toEqual(
        JSON.parse(JSON.stringify(flags)),
      )
    },
  )
})
