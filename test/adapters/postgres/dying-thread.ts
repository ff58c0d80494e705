/** In the place of a thread: dies as soon as it runs. */
throw new Error('no room')
