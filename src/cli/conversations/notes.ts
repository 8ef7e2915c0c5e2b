/** `holdfast notes`: daily notes of conversations (DC3). */
import type { CommandSpec } from '../command.ts'
import { limitOption } from '../options-everywhere.ts'
import { calendar, listNotes, showNote } from './note-commands.ts'

export const notes: CommandSpec = {
  name: 'notes',
  summary: 'The notes of days: what was said in all conversations',
  examples: [
    ['notes', 'list them, newest first'],
    ['notes show 2026-11-15', 'read the note of a day'],
    ['notes calendar 2026-11', 'a month, with the days that have notes'],
  ],
  commands: [
    {
      name: 'list',
      summary: 'List the notes, newest first (the default)',
      options: [{ flags: '--month <month>', about: 'only of this month, such as 2026-11' }, limitOption],
      examples: [
        ['notes list --month 2026-11', 'those of November'],
        ['notes list --json', 'for a program'],
      ],
      isDefault: true,
      run: listNotes,
    },
    {
      name: 'show',
      summary: 'Print the note of a day as Markdown',
      operands: [{ name: 'day', about: 'such as 2026-11-15 or 20261115' }],
      examples: [
        ['notes show 2026-11-15', 'what was said on that day'],
        ['notes show 20261115 --json', 'with its counts, for a program'],
      ],
      run: showNote,
    },
    {
      name: 'calendar',
      summary: 'Show a month, with the days that have notes',
      operands: [{ name: '[month]', about: 'such as 2026-11; this month when left out' }],
      examples: [
        ['notes calendar', 'this month'],
        ['notes calendar 2026-10', 'October'],
      ],
      run: calendar,
    },
  ],
}
