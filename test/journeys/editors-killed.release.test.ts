/**
 * Editors and servers that are killed in the middle of turns (EC5, EC8), many times. Once each is
 * in editors.test.ts.
 */
import { expect, test } from 'vitest'
import {
  begin,
  comeBack,
  compareWithRecord,
  openEditorCommand,
  openFolderOfEditor,
  promptOf,
  someWay,
  textOf,
} from '../support/editor-kills.ts'

const hour = 3_600_000

/** A session that is loaded tells its newest 200 turns; more prompts go on in another. */
const mostPrompts = 100

test(
  '[EC5] an editor that is killed in mid-turn loses and doubles nothing',
  async () => {
    const room = await openFolderOfEditor()
    let editor = await openEditorCommand(room)
    for (let left = 500; left > 0; left -= mostPrompts) {
      const key = await begin(editor, room)
      const kills = Math.min(left, mostPrompts)
      for (let n = 1; n <= kills; n++) {
        const answered = editor.call('session/prompt', promptOf(key, `[[slow 12 20]] prompt-${n}.`))
        await someWay(editor, answered)
        await editor.kill()
        editor = await comeBack(room, key, `prompt-${n}.`)
      }
      await compareWithRecord(room, key, kills)
    }
  },
  hour,
)

test(
  '[EC8] an editor sees the same text over servers that are killed in mid-turn',
  async () => {
    const room = await openFolderOfEditor()
    const editor = await openEditorCommand(room)
    const key = await begin(editor, room)
    const kills = 100
    for (let n = 1; n <= kills; n++) {
      const answered = editor.call('session/prompt', promptOf(key, `[[slow 12 60]] prompt-${n}.`))
      await someWay(editor, answered)
      await room.kill()
      await room.start()
      expect((await answered).result).toMatchObject({ stopReason: 'end_turn' })
    }
    expect(editor.text(key)).toBe(textOf(await room.turns(key)))
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
    const kills = 50
    for (let n = 1; n <= kills; n++) {
      const answered = editor.call('session/prompt', promptOf(key, `[[slow 12 60]] prompt-${n}.`))
      await someWay(editor, answered)
      await Promise.all([editor.kill(), room.kill()])
      await room.start()
      editor = await comeBack(room, key, `prompt-${n}.`)
    }
    await compareWithRecord(room, key, kills)
  },
  hour,
)
