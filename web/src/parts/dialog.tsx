/** Dialogs: one that asks for input, and one that asks once before something is lost. */
import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog } from '@base-ui/react/dialog'
import { type ReactNode, useRef } from 'react'
import { useWords } from '../translations/messages.tsx'
import { Button, IconButton } from './button.tsx'
import { CloseIcon } from './icons.tsx'

const backdropClass =
  'fixed inset-0 z-40 bg-shade transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0'

const popupClass =
  'fixed left-1/2 z-50 flex w-[calc(100vw-2rem)] -translate-x-1/2 flex-col rounded-xl bg-raised ' +
  'shadow-dialog outline-none transition duration-100 data-ending-style:opacity-0 data-starting-style:translate-y-1 ' +
  'data-starting-style:opacity-0'

interface InputDialogProps {
  readonly title: string
  readonly open: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  /** Closing needs a button press: there is something in it that cannot be had again. */
  readonly keepOpen?: boolean
  readonly wide?: boolean
}

export function InputDialog({
  title,
  open,
  onClose,
  children,
  keepOpen = false,
  wide = false,
}: InputDialogProps) {
  const popup = useRef<HTMLDivElement>(null)
  // The first thing to fill in has the focus; on a touch screen that would raise the keyboard over
  // the dialog.
  const first = (by: string) =>
    by === 'touch'
      ? true
      : (popup.current?.querySelector<HTMLElement>('input, textarea, [data-first]') ?? true)
  return (
    <Dialog.Root
      open={open}
      disablePointerDismissal={keepOpen}
      onOpenChange={(next, details) => {
        if (next || (keepOpen && details.reason === 'escape-key')) return
        onClose()
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropClass} />
        <Dialog.Popup
          ref={popup}
          initialFocus={first}
          className={`${popupClass} top-4 max-h-[calc(100dvh-2rem)] ${wide ? 'max-w-170' : 'max-w-lg'} md:top-[10dvh] md:max-h-[80dvh]`}
        >
          <DialogHead title={title} closable={!keepOpen} />
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** The scrolling middle and the fixed foot of a dialog. */
export const DialogBody = ({ children }: { children: ReactNode }) => (
  <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-5 py-4">{children}</div>
)

export const DialogFoot = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-5 py-3">
    {children}
  </div>
)

interface ConfirmProps {
  readonly title: string
  readonly children: ReactNode
  readonly open: boolean
  readonly onClose: () => void
  readonly action: ReactNode
}

/** Asks for confirmation and says what is lost and what stays. The safe answer has the focus. */
export function Confirm({ title, children, open, onClose, action }: ConfirmProps) {
  const words = useWords()
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={backdropClass} />
        <AlertDialog.Popup className={`${popupClass} top-[18dvh] max-h-[75dvh] max-w-md`}>
          <div className="flex flex-col gap-2 overflow-y-auto px-5 pt-5 pb-4">
            <AlertDialog.Title className="text-lg font-semibold [overflow-wrap:anywhere]">
              {title}
            </AlertDialog.Title>
            <AlertDialog.Description
              render={
                <div className="flex flex-col gap-2 text-quiet [overflow-wrap:anywhere]">
                  {children}
                </div>
              }
            />
          </div>
          <DialogFoot>
            <AlertDialog.Close render={<Button>{words.act.cancel}</Button>} />
            {action}
          </DialogFoot>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

interface DialogHeadProps {
  readonly title: ReactNode
  readonly closable?: boolean
  readonly oneLine?: boolean
}

/** The title of a dialog or drawer, with its close button. */
export function DialogHead({ title, closable = true, oneLine = false }: DialogHeadProps) {
  const words = useWords()
  return (
    <div className="flex items-center justify-between gap-2 border-b border-line py-2.5 pr-2.5 pl-5">
      <Dialog.Title className={`${oneLine ? 'min-w-0 truncate' : ''} text-lg font-semibold`}>
        {title}
      </Dialog.Title>
      {closable && (
        <Dialog.Close
          render={
            <IconButton label={words.act.close}>
              <CloseIcon />
            </IconButton>
          }
        />
      )}
    </div>
  )
}
