// Uses a client made by openapi-generator (java, native): upsert, create, list with a filter, a refusal. Arguments: URL, token.
import java.time.LocalDate;
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ContractApi;
import org.openapitools.client.api.TenantApi;
import org.openapitools.client.model.ContractCreate;
import org.openapitools.client.model.ContractCreateMonthlyRent;
import org.openapitools.client.model.TenantCreate;
import org.openapitools.client.model.TenantPatch;
import org.openapitools.client.model.TenantUpdate;

public class Use {
    static void must(boolean holds, Object what) {
        if (!holds) throw new AssertionError(String.valueOf(what));
    }

    interface Request {
        void send() throws ApiException;
    }

    static String refusedWith(int status, Request request) {
        try {
            request.send();
        } catch (ApiException refused) {
            must(refused.getCode() == status, refused);
            return refused.getResponseBody();
        }
        throw new AssertionError("it is not refused");
    }

    public static void main(String[] args) throws ApiException {
        ApiClient client = new ApiClient();
        client.updateBaseUri(args[0]);
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + args[1]));
        TenantApi tenants = new TenantApi(client);
        ContractApi contracts = new ContractApi(client);

        TenantUpdate ada = new TenantUpdate().name("Ada").externalId("J-1");
        var made = tenants.upsertTenantByExternalIdWithHttpInfo("J-1", ada, null, "*", null, null, null, null, null, null);
        must(made.getStatusCode() == 201, made.getStatusCode());
        refusedWith(412, () -> tenants.upsertTenantByExternalId("J-1", ada, null, "*", null, null, null, null, null, null));

        String tenant = made.getData().getData().getId();
        var named = tenants.patchTenant(tenant, new TenantPatch().name("Ada L."), null, null, null, null, null, null, null);
        must("Ada L.".equals(named.getData().getName()), named);
        var judged = tenants.createTenant(new TenantCreate().name("Bob"), true, null, null, null, null);
        must(judged.getData().getId() == null && "Bob".equals(judged.getData().getName()), judged);
        ContractCreateMonthlyRent rent = new ContractCreateMonthlyRent().amount(1250.5).currency("EUR");
        ContractCreate contract = new ContractCreate().tenant(tenant).monthlyRent(rent).startDate(LocalDate.of(2999, 1, 1));
        String number = contracts.createContract(contract, null, null, null, null, null).getData().getContractNumber();
        String filter = "MonthlyRent gt 1000 and Tenant eq '" + tenant + "'";
        var found = contracts.listContract(null, null, null, filter, null, List.of("Tenant"), null, null, null, null).getData();
        must(found.size() == 1 && number.equals(found.get(0).getContractNumber()), found);

        String refused = refusedWith(400,
            () -> contracts.listContract(null, null, null, "Rnt gt 1000", null, null, null, null, null, null));
        must(refused.contains("Rnt"), refused);
        System.out.println("used");
    }
}
