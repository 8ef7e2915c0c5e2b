/** Moves the focus to the first invalid field of a form, which may be out of sight. */
import type { FormEvent } from 'react'

export function focusFirstInvalid({ currentTarget: form }: Pick<FormEvent, 'currentTarget'>): void {
  // The field is marked when the form is rendered again.
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
}
