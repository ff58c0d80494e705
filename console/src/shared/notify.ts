/** Short messages of what was done. They are read aloud, too. */
import { notifications } from '@mantine/notifications'

export function done(message: string): void {
  notifications.show({ message, color: 'teal', autoClose: 4_000, role: 'status', withCloseButton: false })
}
