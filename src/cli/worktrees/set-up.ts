/** `holdfast worktrees set-up`: what makes a fresh worktree runnable. */
import { visible } from '../../platform/log/visible.ts'
import { command, option } from '../command.ts'
import { projectOption } from '../options-everywhere.ts'
import { chooseProject } from '../projects/choose-project.ts'

export const setUpWorktrees = command({
  summary: 'Show or set what makes a fresh worktree runnable',
  options: {
    project: projectOption,
    command: option.text(
      '<words>',
      'a program and its arguments, separated by spaces; there is no shell',
    ),
    copy: option.text('<paths>', 'ignored files to copy first, with commas between'),
    none: option.flag('nothing is done any more'),
  },
  examples: [
    ['worktrees set-up --command "npm ci" --copy .env', 'for fresh worktrees from now on'],
  ],
  async run(context, given) {
    const { id: projectId } = await chooseProject(context)
    const path = '/api/projects/{projectId}/set-up'
    const [command, copy, none] = [given.command, given.copy, given.none]
    const current = await context.client.get(path, { params: { projectId } })
    const words = (text: string | undefined, between: RegExp): string[] | undefined =>
      text?.split(between).filter((word) => word !== '')
    const wanted = none
      ? { command: null, copy: [] }
      : {
          command: words(command, / /) ?? current.command,
          copy: words(copy?.trim(), /\s*,\s*/) ?? current.copy,
        }
    const isChange = command !== undefined || copy !== undefined || none
    const setUp = isChange
      ? await context.client.put(path, { params: { projectId }, body: wanted })
      : current
    context.answer(setUp, () =>
      context.fields([
        ['Command', visible(setUp.command?.join(' ') ?? 'none')],
        ['Copied', visible(setUp.copy.join(', ')) || 'nothing'],
      ]),
    )
  },
})
