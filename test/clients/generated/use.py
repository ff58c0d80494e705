"""Uses a client made by openapi-python-client: upsert, create, list with a filter, expand, a refusal. Arguments: URL, token."""

import datetime
import sys

from daybook_client import AuthenticatedClient
from daybook_client.api.contract import create_contract, get_contract, list_contract
from daybook_client.api.tenant import upsert_tenant_by_external_id
from daybook_client.models import (
    ContractCreate,
    ContractCreateMonthlyRent,
    ErrorResponse,
    GetContractExpandItem,
    Tenant,
    TenantUpdate,
)

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])

new = TenantUpdate(name="Ada", external_id="A-1")
made = upsert_tenant_by_external_id.sync_detailed("A-1", client=client, body=new, if_none_match="*")
assert made.status_code == 201, made
again = upsert_tenant_by_external_id.sync_detailed("A-1", client=client, body=new, if_none_match="*")
assert again.status_code == 412, again
tenant = made.parsed.data

rent = ContractCreateMonthlyRent(amount=1250.5, currency="EUR")
contract = create_contract.sync(
    client=client,
    body=ContractCreate(tenant=tenant.id, monthly_rent=rent, start_date=datetime.date(2999, 1, 1)),
).data
found = list_contract.sync(client=client, filter_="MonthlyRent gt 1000 and Tenant/Name eq 'Ada'")
assert [one.id for one in found.data] == [contract.id], found
whole = get_contract.sync(contract.id, client=client, expand=[GetContractExpandItem.TENANT]).data
assert isinstance(whole.tenant, Tenant) and whole.tenant.external_id == "A-1", whole

refused = list_contract.sync(client=client, filter_="Rnt gt 1000")
assert isinstance(refused, ErrorResponse) and "MonthlyRent" not in refused.error.code, refused
print("used")
