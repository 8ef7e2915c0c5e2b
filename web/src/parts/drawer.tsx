/**
 * A drawer at the side, over the page: details of one thing of a list. On a phone it is the whole
 * screen.
 */
import { Dialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { DialogHead } from './dialog.tsx'

interface DrawerProps {
  readonly title: string
  readonly open: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Drawer({ title, open, onClose, children }: DrawerProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-shade transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Dialog.Popup className="fixed inset-y-0 right-0 z-50 flex w-full max-w-2xl flex-col bg-raised shadow-dialog outline-none transition duration-100 data-ending-style:opacity-0 data-starting-style:translate-x-2 data-starting-style:opacity-0">
          <DialogHead title={title} oneLine />
          <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-5 py-4">
            {children}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
