"""Runs scim2-tester against the server at an address, with a token, and prints a line of JSON for each check."""

import json
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

address, token = sys.argv[1:3]
with Client(base_url=address, headers={"Authorization": f"Bearer {token}"}) as client:
    for check in check_server(SyncSCIMClient(client)):
        print(json.dumps({"status": check.status.name, "title": check.title, "reason": str(check.reason)}))
