/** Every key of the page, opened by `?`. */
import { Button } from '../parts/button.tsx'
import { DialogBody, DialogFoot, InputDialog } from '../parts/dialog.tsx'
import { useChoice } from '../preferences/choice.ts'
import { enterChoice } from '../preferences/enter.ts'
import { useWords } from '../translations/messages.tsx'
import { paletteKeys } from './palette-opening.ts'

export function KeysDialog({ onClose }: { onClose: () => void }) {
  const { shortcuts: words, act } = useWords()
  const enterSends = useChoice(enterChoice) === 'sends'
  const send = enterSends ? 'Enter' : 'Ctrl+Enter'
  const keys: readonly (readonly [string, string])[] = [
    ['?', words.these],
    [paletteKeys, words.palette],
    ['n', words.newSession],
    ['c', words.composer],
    [send, words.send],
    ['Shift+Enter', words.line],
    ['/', words.commands],
    ['@', words.files],
    ['Esc', words.stop],
    ['j k', words.rows],
    ['1 … 9', words.digits],
    ['u', words.undo],
    ['t', words.reviewFiles],
    ['v', words.viewed],
  ]
  return (
    <InputDialog open title={words.title} onClose={onClose}>
      <DialogBody>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-6 gap-y-2">
          {keys.map(([key, what]) => (
            <div key={key} className="contents">
              <dt>
                <kbd className="rounded-md px-1.5 py-0.5 font-mono text-xs shadow-[inset_0_0_0_1px_var(--edge)]">
                  {key}
                </kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>{act.close}</Button>
      </DialogFoot>
    </InputDialog>
  )
}
