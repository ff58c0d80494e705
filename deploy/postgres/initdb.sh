#!/bin/sh
# Run by the image of PostgreSQL on the first start of an empty volume.
set -eu
psql -v ON_ERROR_STOP=1 -U postgres -d "$POSTGRES_DB" -v writer_password="$POSTGRES_PASSWORD" -f /usr/local/share/warehouse.sql
