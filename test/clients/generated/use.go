// Uses a client made by oapi-codegen: upsert, create, list with a filter, expand, a refusal. Arguments: URL, token.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"daybook/client"

	openapi_types "github.com/oapi-codegen/runtime/types"
)

func must(holds bool, what any) {
	if !holds {
		panic(fmt.Sprintf("%+v", what))
	}
}

func main() {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	}
	api, err := client.NewClientWithResponses(os.Args[1], client.WithRequestEditorFn(authorize))
	must(err == nil, err)
	ctx := context.Background()

	name, code, onlyNew := "Grace", "G-1", "*"
	upsert := func() *client.UpsertTenantByExternalIdResponse {
		answer, err := api.UpsertTenantByExternalIdWithResponse(ctx, code,
			&client.UpsertTenantByExternalIdParams{IfNoneMatch: &onlyNew},
			client.TenantUpdate{Name: &name, ExternalId: &code})
		must(err == nil, err)
		return answer
	}
	made := upsert()
	must(made.StatusCode() == 201, string(made.Body))
	must(upsert().StatusCode() == 412, "a second one is refused")
	tenant := made.JSON201.Data

	body := client.ContractCreate{
		Tenant:    tenant.Id,
		StartDate: openapi_types.Date{Time: time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)},
	}
	body.MonthlyRent.Amount, body.MonthlyRent.Currency = 1250.5, "EUR"
	contract, err := api.CreateContractWithResponse(ctx, nil, body)
	must(err == nil && contract.JSON201 != nil, contract)

	filter := "MonthlyRent gt 1000 and Tenant/Name eq 'Grace'"
	found, err := api.ListContractWithResponse(ctx, &client.ListContractParams{Filter: &filter})
	must(err == nil && len(found.JSON200.Data) == 1, found)
	expand := []client.GetContractParamsExpand{"Tenant"}
	whole, err := api.GetContractWithResponse(ctx, *contract.JSON201.Data.Id, &client.GetContractParams{Expand: &expand})
	must(err == nil && whole.JSON200 != nil, whole)
	expanded, err := whole.JSON200.Data.Tenant.AsTenant()
	must(err == nil && *expanded.ExternalId == code, expanded)

	wrong := "Rnt gt 1000"
	refused, err := api.ListContractWithResponse(ctx, &client.ListContractParams{Filter: &wrong})
	must(err == nil && refused.JSON400 != nil, refused)
	fmt.Println("used")
}
