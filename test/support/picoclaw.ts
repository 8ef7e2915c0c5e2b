/**
 * Conversation files as picoclaw's session manager writes them: Go's JSON, with nanoseconds and a
 * zone, empty fields left out.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface PicoclawSession {
  readonly key: unknown
  readonly messages: unknown
  readonly summary?: unknown
  readonly flags?: unknown
  readonly created?: unknown
  readonly updated?: unknown
}

export const picoclawSession = (
  key: string,
  more: Partial<PicoclawSession> = {},
): PicoclawSession => ({
  key,
  messages: [
    { role: 'user', content: `こんにちは <${key}>` },
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'exec', arguments: '{"command":"ls"}' },
          name: 'exec',
        },
      ],
    },
    { role: 'tool', content: 'a.txt', tool_call_id: 'call_1' },
    { role: 'assistant', content: 'One file 🙂', media: ['media://1'] },
  ],
  summary: 'They say hello',
  flags: { local_only: true, work_overlay_turns_left: 3, from_a_newer_one: { deep: [1, null] } },
  created: '2026-02-27T09:00:00.123456789+09:00',
  updated: '2026-02-28T18:30:00.5+09:00',
  ...more,
})

export function writePicoclaw(
  folder: string,
  name: string,
  written: PicoclawSession | string,
): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, name),
    typeof written === 'string' ? written : JSON.stringify(written, null, 2),
  )
}
