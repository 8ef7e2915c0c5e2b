/** Editors and servers that are killed in the middle of turns (EC5, EC8), many times. */
import { expect, test } from 'vitest'
import {
  begin,
  compareWithRecord,
  openEditorCommand,
  openFolderOfEditor,
  promptOf,
  someWay,
} from '../support/editor-kills.ts'
import { amount } from '../support/extent.ts'

const hour = 3_600_000

test(
  '[EC5] an editor that is killed in mid-turn loses and doubles nothing',
  async () => {
    const room = await openFolderOfEditor()
    let editor = await openEditorCommand(room)
    const key = await begin(editor, room)
    const kills = amount(4, 500)
    for (let n = 1; n <= kills; n++) {
      void editor.call('session/prompt', promptOf(key, `[[slow 12 20]] ${n}`))
      await someWay(editor, 8)
      await editor.kill()
      editor = await openEditorCommand(room)
      const opened = { sessionId: key, cwd: room.folder, mcpServers: [] }
      expect((await editor.call('session/resume', opened)).error).toBeUndefined()
    }
    await compareWithRecord(room, key, kills)
  },
  hour,
)

test(
  '[EC8] an editor sees the same text over servers that are killed in mid-turn',
  async () => {
    const room = await openFolderOfEditor()
    const editor = await openEditorCommand(room)
    const key = await begin(editor, room)
    const kills = amount(2, 100)
    for (let n = 1; n <= kills; n++) {
      const answered = editor.call('session/prompt', promptOf(key, `[[slow 12 60]] ${n}`))
      await someWay(editor, 8)
      await room.kill()
      await room.start()
      expect((await answered).result).toMatchObject({ stopReason: 'end_turn' })
    }
    const record = (await room.turns(key))
      .map(({ text }) => text)
      .reverse()
      .join('')
    expect(editor.text(key)).toBe(record)
    await compareWithRecord(room, key, kills)
  },
  hour,
)

test(
  '[EC8] both killed at once: the turn goes on, and who comes back sees all of it',
  async () => {
    const room = await openFolderOfEditor()
    let editor = await openEditorCommand(room)
    const key = await begin(editor, room)
    const kills = amount(1, 50)
    for (let n = 1; n <= kills; n++) {
      void editor.call('session/prompt', promptOf(key, `[[slow 12 60]] ${n}`))
      await someWay(editor, 8)
      await Promise.all([editor.kill(), room.kill()])
      await room.start()
      editor = await openEditorCommand(room)
      const opened = { sessionId: key, cwd: room.folder, mcpServers: [] }
      expect((await editor.call('session/resume', opened)).error).toBeUndefined()
    }
    await compareWithRecord(room, key, kills)
  },
  hour,
)
