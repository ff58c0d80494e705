/** A button over the list that opens what changes the list. */
import { Button, Popover } from '@mantine/core'
import type { ComponentType, ReactNode } from 'react'

export interface ListMenuProps {
  readonly title: string
  readonly icon: ComponentType<{ readonly size?: number; readonly 'aria-hidden'?: boolean }>
  readonly children: ReactNode
}

export function ListMenu({ title, icon: Icon, children }: ListMenuProps) {
  return (
    <Popover position="bottom-start" trapFocus shadow="md">
      <Popover.Target>
        <Button size="xs" variant="default" leftSection={<Icon size={14} aria-hidden />}>
          {title}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={title}>{children}</Popover.Dropdown>
    </Popover>
  )
}
